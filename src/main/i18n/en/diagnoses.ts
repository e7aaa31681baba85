/** What the doctor says of each failure it knows: why it happens, and what to do. `{{name}}` is what a pattern has caught. */
export const diagnoses = {
  driver: {
    dkms_stale: {
      cause: 'dkms knows a driver whose source is gone: a version that was removed is still registered.',
      remedy:
        'Remove its folder in /var/lib/dkms/nvidia, then `dkms status` and `dkms autoinstall` work again.',
    },
    version_mismatch: {
      cause: 'The NVIDIA driver was updated while its old kernel module is still loaded.',
      remedy: 'Reboot the node; the new module is loaded then.',
    },
    dead_after_update: {
      cause:
        'The driver is installed, but no module of it is loaded: usually the kernel was updated and the module was not built for it.',
      remedy:
        'Build it for the running kernel: `dkms install -m nvidia -v <version in /usr/src/nvidia-*>` with the headers of this kernel, then `modprobe nvidia`.',
    },
    module_missing: {
      cause: 'There is no NVIDIA module for the running kernel {{kernel}}.',
      remedy: 'Install linux-headers-{{kernel}} and build the module with dkms.',
    },
    not_installed: {
      cause: 'No NVIDIA driver is installed.',
      remedy: 'Let the driver step install it, or train on the CPU.',
    },
    no_kernel_devel: {
      cause:
        'The headers of the running kernel are not installed, so the driver’s module cannot be built; this node has no apt to install them with.',
      remedy:
        'Install them there as root, with a compiler (`dnf install kernel-devel-$(uname -r) gcc make`); then prepare it again. Where the archive no longer has them, update the kernel and reboot first.',
    },
    other_system: {
      cause:
        'Ringlab installs NVIDIA’s driver from packages on Debian and Ubuntu alone; this is another system.',
      remedy:
        'Install it there with the system’s own packages, or name NVIDIA’s installer (`.run`) for this node; then prepare it again. Or train on the CPU.',
    },
    debian_old: {
      cause:
        'This GPU is of the Blackwell generation (RTX 50, B200) and needs NVIDIA’s driver 570 or newer, which this Debian has not.',
      remedy:
        'Name NVIDIA’s repository package (`cuda-keyring_….deb`) or installer (`.run`) for this node, and prepare it again. Or train on the CPU.',
    },
    wsl: {
      cause: 'This is Linux in Windows (WSL): it uses the driver of Windows, which does not give it the GPU.',
      remedy:
        'In Windows: update NVIDIA’s driver, run `wsl --update` and `wsl --shutdown`, and start Linux again. Install no NVIDIA driver in Linux. Or train on the CPU.',
    },
    nouveau: {
      cause: 'The free driver nouveau holds the GPU, so NVIDIA’s cannot.',
      remedy: 'Blacklist nouveau (`options nouveau modeset=0`), rebuild the initramfs and reboot.',
    },
    secure_boot: {
      cause: 'Secure Boot is on and the firmware does not know the key that signed the module.',
      remedy:
        'Use the distribution’s signed modules (Ubuntu: linux-modules-nvidia-*), or enrol the key (`mokutil --import`) at the machine’s own console, or switch Secure Boot off.',
    },
    no_headers: {
      cause: 'The headers of the running kernel are not installed, so its module cannot be built.',
      remedy:
        'Install linux-headers-$(uname -r). Where the archive no longer has it, install the newest kernel with its headers and reboot.',
    },
    compiler_mismatch: {
      cause: 'The kernel was built with another compiler than the one that is to build the module.',
      remedy:
        'Install the compiler named above (for example gcc-12) and build with `CC=gcc-12 dkms install …`.',
    },
    dkms_failed: {
      cause:
        'This version of the driver does not compile for kernel {{kernel}}: most often it is older than the kernel.',
      remedy:
        'Install a newer driver branch that supports the kernel; the reason is at the end of make.log named above.',
    },
    gpu_needs_proprietary: {
      cause:
        'The open kernel modules do not support this GPU: Maxwell, Pascal and Volta need the proprietary ones.',
      remedy: 'Install the package without “-open” (for example nvidia-driver-580).',
    },
    legacy_gpu: {
      cause: 'The GPU is too old for this driver; branch {{branch}} was the last that supports it.',
      remedy: 'Install driver branch {{branch}}, and a torch built for a CUDA level that it supports.',
    },
    no_gpu: {
      cause: 'The driver runs, but sees no GPU it can use.',
      remedy:
        '`sudo dmesg | grep NVRM` says why: GPUs from Blackwell on (RTX 50, B200) need the open kernel modules, those before Turing NVIDIA’s own, and old ones an older branch; or a power cable is missing. `lspci | grep -i nvidia` shows nothing where the machine has no GPU, or a virtual machine was given none.',
    },
    x_server: {
      cause: 'A graphical session uses the GPU while the driver is to be replaced.',
      remedy: 'Stop the display manager (`systemctl isolate multi-user.target`) and install again.',
    },
    module_in_use: {
      cause: 'The old module is still used by some process, so it cannot be replaced.',
      remedy: 'End what uses the GPU (`fuser -v /dev/nvidia*` names it), or reboot.',
    },
    wrong_kernel: {
      cause:
        'The kernel refuses the module {{module}}: it was built for another kernel, or a module that it needs is not loaded.',
      remedy:
        'Build it for the running kernel: install `linux-headers-$(uname -r)`, then `sudo dkms autoinstall -k $(uname -r)`; `sudo dmesg | tail` names what is missing. After a kernel update, reboot first.',
    },
    not_permitted: {
      cause:
        'The module {{module}} may not be loaded here: this is a container, the user is not root, or the kernel is locked down.',
      remedy:
        'Load it on the machine itself: `sudo modprobe {{module}}`. A container uses the driver of its host; it needs only `--gpus all`.',
    },
    module_refused: {
      cause:
        'The NVIDIA kernel module was built, but the kernel did not load it: another compiler or kernel, nouveau, Secure Boot, or a GPU that this driver does not support.',
      remedy:
        "`sudo dmesg | grep -iE 'nvrm|nvidia|nouveau'` says which; the installer’s /var/log/nvidia-installer.log has it too.",
    },
    gpu_needs_open: {
      cause: 'This GPU is too new for NVIDIA’s proprietary kernel modules: it needs the open ones.',
      remedy:
        'Install the open modules of the same version (Debian and Ubuntu: nvidia-open or nvidia-driver-<version>-open) and reboot.',
    },
  },
  gpu: {
    lost: {
      cause: 'The GPU stopped answering on the PCI bus: overheating, power, or a fault of the card.',
      remedy: 'Reboot the node. If it comes back, check power and cooling, and have the card examined.',
    },
    memory_error: {
      cause: 'The GPU’s memory had an error that could not be corrected.',
      remedy:
        'Reset the GPU or reboot the node, then train on from the last checkpoint; if it comes back, the card has to be replaced.',
    },
    xid: {
      cause:
        'The NVIDIA driver reported error Xid {{number}} of a GPU; 13, 31 and 43 are mostly faults of the program, others mostly of the card.',
      remedy:
        'Look the number up in NVIDIA’s ‘Xid Errors’; run again once. If it comes back with another program, test the card: `sudo dcgmi diag -r 3`.',
    },
    init_failed: {
      cause:
        'The driver found the GPU and could not initialise it: firmware that does not load, missing power, a PCI fault, or a virtual machine without enough address space.',
      remedy:
        'Read the lines of NVRM in `dmesg`; switch the machine off and on (not only reboot), check power cables and BIOS (Above 4G decoding), and install the driver whole again.',
    },
    permission: {
      cause: 'The user of this connection may not open the GPU’s device files.',
      remedy:
        'Add the user to the group of /dev/nvidia* (often `video` or `render`) and log in again, or ask the scheduler for a GPU.',
    },
    nvlink: {
      cause: 'The link between two GPUs (NVLink) reported an error that could not be corrected.',
      remedy:
        'Look at `nvidia-smi nvlink -s` and `dmesg`, reset the GPUs or reboot; train with NCCL_P2P_DISABLE=1 meanwhile.',
    },
    reset_required: {
      cause: 'The GPU stopped after an error and works again only after a reset.',
      remedy: 'End what uses it and run `nvidia-smi --gpu-reset -i N`, or reboot the node.',
    },
    no_addresses: {
      cause: 'The firmware (or the virtual machine) gave the GPU no address space.',
      remedy:
        'Switch on ‘Above 4G decoding’ in the BIOS, or give the virtual machine a larger PCI address space; `pci=realloc` on the kernel’s command line may help.',
    },
    gsp_timeout: {
      cause: 'The GPU’s own system processor (GSP) stopped answering the driver.',
      remedy:
        'Switch the machine off and on, and install another driver version; where it comes back, load the driver without GSP: `options nvidia NVreg_EnableGpuFirmware=0`.',
    },
    mig_pending: {
      cause: 'A change of the GPU’s MIG mode waits until no program uses the GPU.',
      remedy: 'End what uses it (`nvidia-smi`, monitoring such as DCGM too), then reset the GPU or reboot.',
    },
  },
  apt: {
    not_confirmed: {
      cause: 'apt asked whether to continue, and nobody answered.',
      remedy: 'Run it with `-y`.',
    },
    fetch: {
      cause:
        'Packages did not arrive: the package source closed the connection, or the package lists are old.',
      remedy: 'Run `sudo apt-get update`, then try again; if it goes on, choose another mirror.',
    },
    locked: {
      cause: 'Another package manager is running; after a boot it is usually the automatic updates.',
      remedy: 'Wait until it is done and try again. Do not delete the lock.',
    },
    interrupted: {
      cause: 'An earlier installation was cut off in the middle.',
      remedy: 'Run `sudo dpkg --configure -a`, then try again.',
    },
    no_such_package: {
      cause: 'None of the node’s package sources has {{package}}.',
      remedy:
        'Run `apt-get update`; for drivers add Debian’s contrib, non-free and non-free-firmware, or Ubuntu’s restricted component.',
    },
    unmet: {
      cause:
        'Packages of different sources or releases contradict each other: often NVIDIA’s repository beside the distribution’s driver.',
      remedy:
        'Keep to one source of the driver: remove the other’s packages (`apt-get purge`), then `apt-get -f install`.',
    },
    hash: {
      cause:
        'What the mirror sent is not what its index promises: it is being updated, or a proxy changed it.',
      remedy: 'Try again in some minutes, or choose another mirror.',
    },
    unknown_key: {
      cause: 'A package source is signed with a key that the node does not have.',
      remedy: 'Install that source’s keyring package, or remove the source from /etc/apt/sources.list.d.',
    },
    release_gone: {
      cause:
        'The package source {{source}} does not exist (any more): a release past its end of life moves to an archive.',
      remedy: 'Point the source to archive.debian.org or old-releases.ubuntu.com, or upgrade the node.',
    },
    clock: {
      cause: 'The node’s clock is behind, so that the source seems to come from the future.',
      remedy: 'Set the clock (`timedatectl set-ntp true`, or `date -s`), then try again.',
    },
    not_root: {
      cause: 'Installing packages needs root, and this command ran without it.',
      remedy: 'Run it with `sudo`; on a node let Ringlab ask for the password when it prepares.',
    },
    release_changed: {
      cause:
        'The package source {{source}} changed its name of the release (for example stable became oldstable), and apt wants that accepted.',
      remedy: '`sudo apt-get update --allow-releaseinfo-change`, then try again.',
    },
    bad_signature: {
      cause: 'The signature of a package source is not valid: its key expired, or a proxy changed the files.',
      remedy:
        'Install the newest keyring package or key of that source, or remove it from /etc/apt/sources.list.d; then `sudo apt-get update`.',
    },
    release_expired: {
      cause:
        'The index of the package source is older than it may be: the mirror is no longer updated, or the node’s clock is ahead.',
      remedy:
        'Compare `date -u` with the real time (`sudo timedatectl set-ntp true`); if it is right, choose another mirror.',
    },
    not_there: {
      cause:
        'The package source does not have {{url}} (any more): the node’s package lists are old, or the release has moved to an archive.',
      remedy:
        '`sudo apt-get update`, then try again; for a release past its end of life use archive.debian.org or old-releases.ubuntu.com.',
    },
    mirror_failed: {
      cause: 'The package source answered with error {{status}} for {{url}}.',
      remedy:
        'Try again in some minutes, or choose another mirror; for 401, 403 and 407 look at proxy and access.',
    },
    dpkg_failed: {
      cause: 'A package could not be configured or removed: a script of the package itself failed.',
      remedy:
        'The reason stands in the lines above this one. When it is mended: `sudo dpkg --configure -a && sudo apt-get -f install`.',
    },
    unauthenticated: {
      cause:
        'apt wants a confirmation that `-y` does not give: a package is not signed, held back, or would remove an essential one.',
      remedy:
        'Run the same command without `-y` and read what it asks; repair the source’s key rather than `--allow-unauthenticated`.',
    },
    overwrite: {
      cause:
        'Two packages bring the same file {{path}}: they come from different sources, often NVIDIA’s beside the distribution’s.',
      remedy: 'Keep to one source: `sudo apt-get purge {{package}}`, then `sudo apt-get -f install`.',
    },
    bad_source: {
      cause:
        'A file of package sources cannot be read: a malformed line, or one source listed twice with different keys.',
      remedy:
        'Correct the file that the message names in /etc/apt/sources.list.d (or remove the double one), then `sudo apt-get update`.',
    },
    bad_release: {
      cause: 'The index of a package source is malformed, or has nothing for this processor.',
      remedy:
        '`sudo rm -r /var/lib/apt/lists/* && sudo apt-get update`; if it comes back, add `[arch=amd64]` to that source or choose another mirror.',
    },
    database: {
      cause: 'dpkg’s own record of a package is damaged, mostly by an installation that was cut off.',
      remedy:
        '`sudo dpkg --remove --force-remove-reinstreq PACKAGE`, then `sudo apt-get -f install`; for a damaged /var/lib/dpkg/status, take the newest of /var/backups/dpkg.status.*',
    },
    lists: {
      cause:
        'apt’s downloaded package lists are damaged: a download was cut off, or a portal’s page was stored in their place.',
      remedy: '`sudo rm -rf /var/lib/apt/lists/*`, then `sudo apt-get update`.',
    },
    key_damaged: {
      cause:
        'The key file of a package source is not a key: the download gave something else, or apt cannot read the file.',
      remedy:
        'Fetch the key again, store it with `gpg --dearmor` below /etc/apt/keyrings/, readable by everybody (0644).',
    },
    keyserver: {
      cause: 'The key server did not send the key of a package source.',
      remedy: 'Fetch the key over HTTPS from the source’s own page, and store it below /etc/apt/keyrings/.',
    },
  },
  sudo: {
    password: {
      cause: 'sudo asks for a password on this node.',
      remedy: 'Type it in the window when it is asked; it is not kept in clear.',
    },
    denied: {
      cause: '{{user}} may not install anything on this node.',
      remedy:
        'Ask the administrator for sudo or for these packages; or use the runtime conda or wheels, which need no rights.',
    },
    wrong_password: {
      cause: 'sudo did not accept the password.',
      remedy:
        'Enter the password of this user on this node again; it may differ from the one of the SSH login.',
    },
    no_new_privileges: {
      cause: 'This container or service does not let anybody become root.',
      remedy:
        'Use an account that needs no root here: the wheels runtime and user installations work without it; or start the container with `--security-opt no-new-privileges=false`.',
    },
  },
  conda: {
    pip_failed: {
      cause: 'The packages of conda are installed; pip’s part of the environment failed.',
      remedy:
        'pip’s own message above says why. After that, `conda env update -f environment.yml` continues.',
    },
    exists: {
      cause: 'An environment is already at {{path}}.',
      remedy: 'Update it with `conda env update`, choose another name, or remove it with `conda env remove`.',
    },
    no_file: {
      cause: 'conda was given no file that describes the environment: environment.yml is not in this folder.',
      remedy:
        'Name it with `conda env create -f FILE`; an empty environment is made by `conda create -n NAME`.',
    },
    unsolved: {
      cause: 'Conda found no set of packages for this environment.',
      remedy:
        'Look at the lines that follow; use the solver `libmamba` (`conda config --set solver libmamba`), and leave out build numbers and versions that are not needed.',
    },
    no_cuda: {
      cause: 'The environment wants CUDA, and the solver sees no driver that offers this level.',
      remedy:
        'Install a newer driver, choose a lower CUDA level, or set CONDA_OVERRIDE_CUDA when solving on a machine without a GPU.',
    },
    not_found: {
      cause: 'No channel has this set of packages in versions that fit together.',
      remedy: 'Check the channels and their order (conda-forge first), and loosen the pinned versions.',
    },
    unreachable: {
      cause: 'The channel cannot be reached from this node.',
      remedy:
        'Choose a mirror near the node (TUNA, USTC, BFSU), lend the node this computer’s connection, or send a bundle.',
    },
    checksum: {
      cause: 'A downloaded package is not the one that the lock names: cut short, or changed on the way.',
      remedy: 'It was discarded; try again, with another mirror if it comes back.',
    },
    terms: {
      cause: 'Anaconda’s own channels want their terms accepted first.',
      remedy: 'Use conda-forge alone (`channels: [conda-forge]`, no defaults), as Ringlab’s lock does.',
    },
    not_initialised: {
      cause: 'conda is not on this shell’s path.',
      remedy:
        'Nothing needs to be activated: Ringlab runs programs of the environment by their path. By hand: `source ~/miniconda3/bin/activate`.',
    },
    refused: {
      cause: 'The channel refuses or lacks what is asked for (HTTP {{status}}).',
      remedy:
        '404: check the channel’s name and drop what does not exist. 403 or 429: the mirror blocks or limits this address; choose another.',
    },
    conflict: {
      cause: 'The wanted packages exclude each other: no set of their versions fits together.',
      remedy:
        'Start a fresh environment, loosen pinned versions, and take all from one channel: `conda config --set channel_priority strict`.',
    },
    no_environment: {
      cause: 'The environment does not exist where it is looked for.',
      remedy:
        '`conda env list` shows those that are there; create it, and give its full path (`-p /home/USER/env`).',
    },
    not_writable: {
      cause: 'The conda environment (or its package cache) belongs to another user.',
      remedy: 'Make an environment of your own: `conda create -p ~/envs/NAME`, or use the wheels runtime.',
    },
  },
  cuda: {
    out_of_memory: {
      cause: 'The GPU’s memory is used up by the model, its activations and the batch.',
      remedy:
        'Halve the batch, switch to bf16 or fp16, or accumulate gradients over several steps. `nvidia-smi` shows whether somebody else uses the GPU.',
    },
    driver_too_old: {
      cause: 'This torch was built for a newer CUDA than the driver supports.',
      remedy: 'Install a newer driver, or a torch of the CUDA level that `nvidia-smi` shows.',
    },
    architecture: {
      cause: 'This torch holds no code for this kind of GPU.',
      remedy: 'Newer GPU: a newer torch and CUDA level. Older GPU: the last torch that supported it.',
    },
    cpu_build: {
      cause: 'This torch is a build for the CPU, on a node with a GPU.',
      remedy: 'Choose a build with CUDA: in conda pin `libtorch=*=cuda*` or `pytorch=*=cuda*`.',
    },
    fabric_manager: {
      cause:
        'The GPUs are joined by NVSwitch, and the fabric manager does not run or has another version than the driver.',
      remedy: 'Install nvidia-fabricmanager of exactly the driver’s version and start it.',
    },
    unknown_error: {
      cause: 'CUDA cannot open the driver: often after the machine slept, or nvidia_uvm is not loaded.',
      remedy:
        '`sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm`, or reboot; check CUDA_VISIBLE_DEVICES.',
    },
    busy: {
      cause: 'The GPU is in exclusive mode and another process has it.',
      remedy: 'Wait for that process (`nvidia-smi` names it), or set `nvidia-smi -c 0`.',
    },
    invalid_device: {
      cause:
        'More GPUs are asked for than CUDA gives a process: the node has fewer, CUDA_VISIBLE_DEVICES hides some, or they are in MIG mode, where a process gets one.',
      remedy:
        'Correct the number of GPUs of this node in the lab; `nvidia-smi -L` and `echo $CUDA_VISIBLE_DEVICES` show what there is, and `sudo nvidia-smi -mig 0` ends MIG mode.',
    },
    device_assert: {
      cause: 'A label lies outside the number of classes.',
      remedy: 'train/ and val/ must have the same class folders, and --num-classes must fit them.',
    },
    illegal_access: {
      cause: 'A GPU program read or wrote where it may not: a fault of a library, or of the card.',
      remedy:
        'Resume from the last checkpoint; if it comes back, try another torch version, and test the card’s memory.',
    },
    no_device: {
      cause:
        'CUDA sees no GPU: CUDA_VISIBLE_DEVICES hides it, the container was started without GPUs, or the driver is not loaded.',
      remedy: '`nvidia-smi` and `echo $CUDA_VISIBLE_DEVICES`; a container needs `--gpus all`.',
    },
    launch_timeout: {
      cause: 'A kernel ran longer than the GPU’s watchdog allows: the GPU also drives a screen.',
      remedy:
        'Train on a GPU without a screen, or stop the desktop on this node; smaller batches make kernels shorter.',
    },
    precision: {
      cause: 'The precision is not one that this GPU (or CPU) computes in.',
      remedy:
        'Use float16 or float32 here: bfloat16 needs compute capability 8.0 (Ampere), FP8 8.9 (Ada) or 9.0 (Hopper).',
    },
  },
  cudnn: {
    not_initialised: {
      cause: 'cuDNN or cuBLAS could not start: nearly always the GPU’s memory is full.',
      remedy: 'Use a smaller batch, and see with `nvidia-smi` who else uses the GPU.',
    },
    version: {
      cause: 'torch loads another cuDNN than the one it was built with: one in LD_LIBRARY_PATH comes first.',
      remedy: '`unset LD_LIBRARY_PATH`, or remove the other cuDNN from it; torch’s wheels bring their own.',
    },
    failed: {
      cause:
        'cuDNN or cuBLAS failed in a computation: libraries of different versions, values that they do not support, or too little memory.',
      remedy:
        'Run once with `CUDA_LAUNCH_BLOCKING=1`, which shows the true place, and with a smaller batch; remove other CUDA libraries from LD_LIBRARY_PATH.',
    },
  },
  checkpoint: {
    size_mismatch: {
      cause: 'The checkpoint is of another architecture or another number of classes.',
      remedy: 'Choose the architecture and data set that the checkpoint was made with.',
    },
    damaged: {
      cause: 'The checkpoint was cut short, or is not one.',
      remedy: 'Use model_best.pth.tar or an earlier checkpoint; copy it again if it was copied.',
    },
    weights_only: {
      cause: 'torch 2.6 and later open files with `weights_only=True`, and this one holds more than tensors.',
      remedy:
        'Where you trust the file: `torch.load(path, weights_only=False)`. Ringlab’s own files open either way.',
    },
    optimizer: {
      cause: 'The optimizer in the checkpoint belongs to other parameters than this model’s.',
      remedy:
        'Resume with the model and the parameter groups that wrote it, or load the weights alone and start the optimizer anew.',
    },
  },
  data: {
    timeout: {
      cause:
        'No batch came from the workers of the data loader within {{wait}} s: reading the data is slow, or a worker hangs.',
      remedy:
        'Try `num_workers=0` to see the error itself; raise `timeout`, or move the data to a local disk.',
    },
    worker_ended: {
      cause: 'A process that loads data ended with exit code {{code}}; its own error is not in this output.',
      remedy:
        'Run with `num_workers=0`: the error then appears with its traceback. Often a file is missing, or the script has no `__main__` guard.',
    },
    no_classes: {
      cause: 'The data folder has no class folders, or one without images.',
      remedy: 'It has to look like train/CLASS/image.jpg and val/CLASS/image.jpg.',
    },
    broken_image: {
      cause: 'An image is broken or cut short.',
      remedy: 'Delete or fetch it again; Ringlab’s trainer skips up to 1 % of broken images and names each.',
    },
    shared_memory: {
      cause: '/dev/shm is too small for what the processes share; containers give it 64 MB.',
      remedy: 'Start the container with `--shm-size=8g` or `--ipc=host`, or use fewer loader workers.',
    },
    worker_killed: {
      cause:
        'A process that loads data was ended from outside: nearly always because the node’s memory was used up.',
      remedy:
        "`sudo dmesg | grep -i 'killed process'` shows it. Use fewer loader workers, a smaller batch, or more memory.",
    },
    worker_crashed: {
      cause:
        'A process that loads data crashed: a fault in a library that decodes images, or one that does not bear being forked.',
      remedy:
        "Run once with 0 loader workers, which shows the place; then update Pillow, OpenCV or torchvision, or use `multiprocessing_context='spawn'`.",
    },
    workers: {
      cause:
        'The processes that load data cannot be started from this script: something in it cannot be sent to them, or is bound to the process that made it.',
      remedy:
        "Put the script’s start below `if __name__ == '__main__':`, use no lambda, open file or CUDA tensor in the data set, and `multiprocessing_context='spawn'` if CUDA is used in it; 0 loader workers avoids it.",
    },
    empty: {
      cause: 'The data set is empty: its folder has no files that fit, or the filter removed all.',
      remedy:
        'Check the path on this node (it may hold the data on another one only), the file endings, and the split.',
    },
  },
  device: {
    wrong_results: {
      cause:
        'This device computes wrong numbers: its memory or its power supply is bad, it is overclocked or too hot, or libraries of different versions are mixed.',
      remedy:
        'Do not train on it. Look at `nvidia-smi -q` (ECC errors, temperature) and `dmesg`; take another node, or take the GPU out of the experiment.',
    },
  },
  disk: {
    full: {
      cause: 'The node’s disk is full.',
      remedy:
        'Free space (`df -h`; old runs, `apt-get clean`, package caches) and try again. Existing checkpoints were not touched.',
    },
    quota: {
      cause: 'The user’s share of the disk is used up.',
      remedy: 'Delete files of yours (`quota -s`), or ask for a larger quota.',
    },
    read_only: {
      cause: 'The disk became read-only: mostly after errors of the disk.',
      remedy: 'Look at `dmesg`, check the file system (fsck) and reboot.',
    },
    errors: {
      cause: 'The disk, or the server of a network folder, fails to read or write.',
      remedy:
        "Copy what matters to another disk now. `sudo dmesg | grep -iE 'i/o error|ext4|nfs'` and `sudo smartctl -a /dev/sdX` say more; mount a network folder anew.",
    },
  },
  memory: {
    killed: {
      cause: 'The kernel ended a process because the node’s memory was used up.',
      remedy: 'Use a smaller batch, fewer loader workers or fewer ranks on this node.',
    },
    exhausted: {
      cause: 'The node’s memory (not the GPU’s) was not enough for what the program asked for.',
      remedy:
        '`free -h` shows what is there. Use a smaller batch, fewer loader workers or fewer ranks on this node, or add swap.',
    },
  },
  build: {
    failed: {
      cause: 'The compiler stopped with an error, or was ended.',
      remedy:
        'Its first `error:` stands further up. Where there is none, somebody or the system ended it: try again, with fewer jobs at once if memory is short.',
    },
    extension: {
      cause: 'An extension of PyTorch did not compile; the compiler’s own error stands further up.',
      remedy:
        'Look for the first line with `error:` above this one. With `MAX_JOBS=1` the order is clear, and less memory is used.',
    },
    killed: {
      cause: 'The compiler was ended for want of memory: a file on libtorch’s headers takes about 1.6 GB.',
      remedy: 'Build with fewer jobs at once, or add swap.',
    },
    cmake_old: {
      cause: 'CMake {{found}} is too old; {{wanted}} is needed.',
      remedy: 'Choose the runtime conda or wheels, which bring their own CMake, or install a newer one.',
    },
    no_torch: {
      cause: 'libtorch’s development files are not on the node.',
      remedy:
        'Let the step “Libraries” install them (Debian: libtorch-dev), or name a libtorch that is there.',
    },
    no_library: {
      cause: 'The development files of {{library}} are missing.',
      remedy:
        'Install the package that has them, often one whose name ends with -dev (JPEG: libjpeg-dev, ZLIB: zlib1g-dev; -lcuda is the driver’s libcuda.so). What the trainer itself needs is installed by the step “Libraries”.',
    },
    cuda_mismatch: {
      cause:
        'An extension is to be compiled, and the CUDA toolkit on the node is missing or of another version than torch’s.',
      remedy:
        "`python -c 'import torch; print(torch.version.cuda)'` and `nvcc --version` must agree: install that toolkit and `export CUDA_HOME=/usr/local/cuda-VERSION`, or a ready wheel.",
    },
    compiler_new: {
      cause: 'The compiler is newer than this CUDA toolkit allows (gcc {{newest}} at most).',
      remedy:
        'Install the older gcc and point to it: `CC=gcc-{{newest}} CXX=g++-{{newest}}` and `NVCC_PREPEND_FLAGS="-ccbin g++-{{newest}}"`, or use a newer CUDA toolkit.',
    },
    compiler_old: {
      cause: 'The compiler is too old for this version of PyTorch.',
      remedy:
        'Install a newer one (gcc 9 or later for C++17, gcc 11 or later for C++20) and set CC and CXX to it.',
    },
    no_compiler: {
      cause: 'There is no C++ compiler on this node.',
      remedy:
        'Install it: `sudo apt install build-essential` (without root: `conda install -c conda-forge gxx`).',
    },
    no_ninja: {
      cause: 'Ninja, which builds PyTorch’s extensions, is not installed.',
      remedy: 'Install it into the environment: `pip install ninja`.',
    },
    cmake_new: {
      cause: 'This CMake is too new for the project’s CMakeLists.txt, which asks for one before {{oldest}}.',
      remedy:
        'Set CMAKE_POLICY_VERSION_MINIMUM={{oldest}} as an environment variable, or install CMake 3: `pip install "cmake<4"`.',
    },
    python_headers: {
      cause:
        'Python’s development files are missing, so nothing can be compiled for it (extensions, Triton’s kernels).',
      remedy:
        '`sudo apt install python3-dev` (with the version: python3.12-dev); Pythons of uv and conda have them already.',
    },
  },
  library: {
    glibc_old: {
      cause: 'The program was built for glibc {{wanted}}; this node’s is older.',
      remedy:
        'Build the trainer on this node itself, or choose a runtime whose newest build still runs here.',
    },
    libstdcxx_old: {
      cause: 'The C++ library on this node is older than the program: {{wanted}} is missing.',
      remedy:
        'Use the environment’s own libstdc++ (LD_LIBRARY_PATH to its lib folder), or build on the node.',
    },
    missing: {
      cause: '{{library}} is not where the program looks for it.',
      remedy:
        'A library of PyTorch (libtorch, libc10): its runtime was moved or removed; prepare the node again. Another one: install the package that holds it (libGL.so.1: `sudo apt-get install libgl1`, or the Python package opencv-python-headless).',
    },
    cuda_missing: {
      cause:
        '{{library}} is missing: a part of CUDA that this torch was built with is not installed, or in another version.',
      remedy:
        'Install torch again with all that it needs: `pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu121` (your CUDA level); do not remove its nvidia-* packages.',
    },
    symbol: {
      cause: 'A library was built for another version of the library that it uses: {{symbol}} is not there.',
      remedy:
        'Build the extension again with the torch that loads it (`pip install --no-build-isolation --no-cache-dir --force-reinstall …`), or install its release for this torch and CUDA.',
    },
  },
  system: {
    too_many_files: {
      cause: 'The processes hold more files open than the node allows.',
      remedy: 'Raise the limit (`ulimit -n 65535`), or use fewer loader workers.',
    },
    illegal_instruction: {
      cause: 'The program uses instructions that this node’s processor lacks.',
      remedy: 'Build the trainer on this node; a binary of a newer machine does not run here.',
    },
    tool_missing: {
      cause: 'A tool that is needed is not installed on this node.',
      remedy:
        'Install it: `sudo apt-get install rsync openssh-client tar unzip wget curl git build-essential cmake` (those that the message names).',
    },
    process_limit: {
      cause: 'The user’s limit of processes and threads is reached on this node.',
      remedy:
        'Raise it (`ulimit -u`, the container’s pids limit), use fewer data workers, or set OMP_NUM_THREADS=1.',
    },
    architecture: {
      cause: 'The program was built for another kind of processor.',
      remedy:
        'Use the build for this node’s architecture (`uname -m`): aarch64 and x86_64 programs do not run on each other.',
    },
    no_display: {
      cause: 'The script wants to open a window, and the node has no screen.',
      remedy:
        'Set MPLBACKEND=Agg for matplotlib, write pictures to files instead of showing them, or install opencv-python-headless.',
    },
  },
  clock: {
    certificate: {
      cause:
        'A certificate is not valid at the node’s time: its clock is wrong, or its certificates are old.',
      remedy: 'Set the clock (`timedatectl`), and update the package ca-certificates.',
    },
  },
  rank: {
    port_in_use: {
      cause:
        'Another program listens on the port (in training: rank 0’s); often an earlier run that still lives.',
      remedy: 'Choose another port, or end the old process (`ss -ltnp` names it).',
    },
    clients_missing: {
      cause: 'Only {{joined}} of {{world}} ranks joined the rendezvous.',
      remedy:
        'See the log of the ranks that are missing: they did not start, or cannot reach rank 0’s address and port.',
    },
    master_unreachable: {
      cause:
        'Rank 0 does not answer at {{host}}, port {{port}}: it did not start, a firewall is between, or the address is not the one others reach.',
      remedy:
        'Open the port, and use an address of the network that joins the nodes, not 127.0.1.1 from /etc/hosts.',
    },
    peer_closed: {
      cause: 'Another rank ended or was cut off; this one only suffers from it.',
      remedy: 'The cause is in the log of the rank that ended first.',
    },
    store_lost: {
      cause:
        'The store of rank 0 is gone: rank 0 ended, or the connection to it broke; this rank only suffers from it.',
      remedy: 'The cause is in the log of rank 0: look at its last lines first.',
    },
    store_timeout: {
      cause:
        'A rank waited at the rendezvous for a value that another never wrote: a rank did not start, started late, or meets elsewhere.',
      remedy:
        'Check that all ranks run, with the same MASTER_ADDR, MASTER_PORT and world size; slow starts need a longer time-out (`init_process_group(timeout=…)`).',
    },
    not_launched: {
      cause: 'The script was started without a rank’s number, world size and rendezvous in its environment.',
      remedy:
        'Start it with `torchrun --nproc_per_node=1 SCRIPT` or from Ringlab, and call `init_process_group` before any communication.',
    },
    initialised_twice: {
      cause: 'The script joins the process group twice: a library that it uses does so already.',
      remedy:
        'Call it once: `if not torch.distributed.is_initialized(): torch.distributed.init_process_group(…)`.',
    },
    wrong_address: {
      cause: 'A rank is to listen on an address that this node does not have.',
      remedy:
        'MASTER_ADDR must be an address of rank 0’s node itself: `ip -br addr` lists them; behind NAT use the inner address, or a tunnel.',
    },
    local_rank_argument: {
      cause: 'The launcher passes `--local-rank` as an argument, and the script does not know it.',
      remedy:
        'Launch with torchrun, which sets LOCAL_RANK instead, or add `--local-rank` (and `--local_rank`) to the script’s arguments.',
    },
    no_libuv: {
      cause: 'This PyTorch has no libuv, which its store uses by default.',
      remedy: 'Set USE_LIBUV=0 for the run.',
    },
    store_barrier: {
      cause: '{{count}} processes reported at the start, and {{world}} were expected.',
      remedy:
        'Fewer: the missing ranks did not start or do not reach the master. More: ranks of another or an earlier run use the same store: end them, or take another port.',
    },
    duplicate: {
      cause: 'Two processes have the same rank.',
      remedy:
        'Give each process its own RANK (torchrun does); look for a process of an earlier run that is still alive.',
    },
  },
  gloo: {
    unsupported: {
      cause: 'Gloo has no {{operation}}: some collectives and data types exist only in NCCL.',
      remedy: 'Use NCCL where all ranks have a GPU, or another collective, such as all_reduce.',
    },
    address_family: {
      cause: 'One rank announced an IPv4 address and another an IPv6 address.',
      remedy:
        'Let all ranks use one interface: set GLOO_SOCKET_IFNAME on each node, and see that its host name has an address of the same kind (`getent ahosts $(hostname)`).',
    },
    interface: {
      cause: 'The network interface {{interface}} does not exist on this node, or has no address.',
      remedy: 'Leave the choice to Ringlab, or name an interface that `ip -br addr` shows.',
    },
    timeout: {
      cause:
        'A rank waited in a collective operation for another that did not come: it hangs, is much slower, or its link is down.',
      remedy: 'Look which rank’s last step is the oldest, and at its network; Ringlab’s ‘Ranks’ shows it.',
    },
    connect: {
      cause:
        'The ranks found each other at rank 0, but cannot connect directly: an address that others cannot reach (127.0.1.1 of /etc/hosts), the wrong interface, or a firewall.',
      remedy:
        'Name the interface that joins the nodes: `export GLOO_SOCKET_IFNAME=eth0` (`ip -br addr` lists them), open all TCP ports between the nodes, and remove the 127.0.1.1 line of /etc/hosts.',
    },
  },
  nccl: {
    topology: {
      cause:
        'NCCL cannot read how the GPUs are connected: {{path}} is missing, as in containers that hide /sys.',
      remedy:
        'Start the container with the host’s /sys (`--ipc=host`, no masked /sys), or with `nvidia-container-toolkit`.',
    },
    interface: {
      cause: 'NCCL found no network interface of the name in NCCL_SOCKET_IFNAME.',
      remedy: 'Unset NCCL_SOCKET_IFNAME, or name an interface that `ip -br addr` shows.',
    },
    duplicate_gpu: {
      cause: 'Ranks {{a}} and {{b}} use the same GPU, which NCCL does not allow.',
      remedy: 'One rank per GPU: set the node’s number of GPUs to what it has, or use gloo.',
    },
    timeout: {
      cause:
        'A rank waited in {{operation}} for one that never came: it hangs, died, or took another path through the code.',
      remedy: 'Look which rank’s last step is the oldest; its log and its network say why.',
    },
    connect: {
      cause: 'NCCL cannot connect to {{peer}}: {{reason}}.',
      remedy:
        'Open all ports between the nodes, and let NCCL use the interface that joins them (NCCL_SOCKET_IFNAME).',
    },
    system_error: {
      cause: 'NCCL failed below itself: the network, memory, or another rank.',
      remedy: 'Run once with NCCL_DEBUG=INFO; the first “NCCL WARN” line names the cause.',
    },
    versions: {
      cause: 'The nodes have different versions of NCCL, which are incompatible.',
      remedy:
        "Install the same torch on all nodes: `python -c 'import torch; print(torch.__version__, torch.cuda.nccl.version())'` must print the same everywhere.",
    },
    infiniband: {
      cause:
        'InfiniBand or RoCE failed below NCCL: a cable or switch, the wrong GID index, or too little locked memory in a container.',
      remedy:
        'Check `ibstat` and `ulimit -l` (it must be unlimited; docker: `--ulimit memlock=-1`), try `NCCL_IB_GID_INDEX=3` for RoCE; `NCCL_IB_DISABLE=1` uses TCP instead and shows whether it is this.',
    },
    peer_closed: {
      cause: 'Another rank ended or was cut off during an NCCL operation; this one only suffers from it.',
      remedy: 'The cause is in the log of the rank that ended first.',
    },
    invalid_usage: {
      cause:
        'NCCL was called in a way that it does not allow: mostly two ranks on one GPU, or ranks that call different operations.',
      remedy:
        'One GPU per rank: `torch.cuda.set_device(local_rank)` before the first communication. `NCCL_DEBUG=WARN` names the rule.',
    },
    cuda_error: {
      cause: 'A CUDA call within NCCL failed: {{reason}}.',
      remedy:
        'Run once with `NCCL_DEBUG=INFO`. Peer access between GPUs that fails is avoided by `NCCL_P2P_DISABLE=1`; else driver and torch’s CUDA do not fit together.',
    },
    mismatch: {
      cause:
        'The ranks do not call the same operations in the same order: one waits for what another never calls.',
      remedy:
        'Every rank must take the same path: no communication, saving or evaluation inside `if rank == 0`, and equal numbers of batches. `TORCH_DISTRIBUTED_DEBUG=DETAIL` names the first difference.',
    },
    not_built: {
      cause: 'This PyTorch was built without {{backend}}.',
      remedy: 'Install a CUDA build of PyTorch, or use the backend `gloo`.',
    },
    cpu_tensor: {
      cause:
        'A collective operation was called with a tensor that the backend does not carry: NCCL moves CUDA tensors alone.',
      remedy:
        'Move the tensor to the rank’s GPU first, or open the group with `backend="cpu:gloo,cuda:nccl"`.',
    },
  },
  network: {
    offline: {
      cause:
        'The node seems to have no way into the internet: what this step downloads from does not answer.',
      remedy:
        'Lend it this computer’s connection while it is prepared: its downloads then go through an encrypted tunnel to here. Or give it a route, a name server or a proxy of its own.',
    },
    name: {
      cause: 'The node cannot turn the name into an address: it has no DNS, or no internet.',
      remedy:
        'Check /etc/resolv.conf; on a closed testbed lend the node this computer’s connection while it is prepared.',
    },
    no_route: {
      cause: 'There is no way to that address, or a firewall refuses it.',
      remedy: 'Check the drawn links and routes (`ip route get ADDRESS`) and the firewall of that node.',
    },
    portal: {
      cause: 'Instead of the package source, a login page of the network answered.',
      remedy:
        'Log in to the network from the node, use a proxy, or lend the node this computer’s connection while it is prepared.',
    },
    proxy: {
      cause: 'The proxy that is set on this node refuses, or does not answer.',
      remedy:
        '`env | grep -i proxy`, `cat /etc/apt/apt.conf.d/*proxy*`; correct or unset it (`unset http_proxy https_proxy`), with name and password where it wants them.',
    },
    certificate: {
      cause:
        'The certificate of the server is not signed by anybody whom this node trusts: a company’s proxy signs anew, or the node’s list of authorities is old.',
      remedy:
        '`sudo apt-get install --reinstall ca-certificates && sudo update-ca-certificates`; put a company’s certificate into /usr/local/share/ca-certificates first. For pip: `pip config set global.cert /etc/ssl/certs/ca-certificates.crt`. Check the node’s clock too.',
    },
    refused: {
      cause: 'The other machine answers, but no program listens on that port, or its firewall rejects.',
      remedy: 'See on that machine whether it runs: `ss -ltn`; check address and port.',
    },
    timeout: {
      cause:
        'The other machine did not answer in time: a firewall drops the packets, the address is wrong, or the way is too slow.',
      remedy:
        '`ping HOST`, `nc -vz HOST PORT`; from a closed network lend the node this computer’s connection while it is prepared.',
    },
    rate_limited: {
      cause: 'The server refuses more requests for now: too many came from this address.',
      remedy: 'Wait and try again, use a mirror, or log in where the service gives accounts more.',
    },
    reset: {
      cause: 'The other side, or something on the way, broke the connection.',
      remedy:
        'Try again; where it stays so, a firewall or proxy cuts it: use a mirror, or lend this computer’s internet.',
    },
  },
  ssh: {
    control_path: {
      cause: 'The path of the shared connection’s socket is longer than a socket may have (108 characters).',
      remedy: 'Set a shorter ControlPath, such as `~/.ssh/%C`.',
    },
    max_sessions: {
      cause: 'The server allows no more sessions over this connection (MaxSessions).',
      remedy: 'Close other sessions of the shared connection, or raise MaxSessions in its sshd_config.',
    },
    account: {
      cause:
        'The login works, but the account may not be used: its password has expired, it is locked, or the machine is still starting.',
      remedy: 'Log in by hand and change the password, or ask the machine’s administrator.',
    },
    no_identity: {
      cause: 'The private key {{key}} is not on this computer, or the agent holds none.',
      remedy:
        'Correct the path (`-i`, IdentityFile), make a key with `ssh-keygen`, or add one with `ssh-add`.',
    },
    no_agent: {
      cause: 'No SSH agent runs, or this shell does not know it (SSH_AUTH_SOCK is not set).',
      remedy:
        'Start one with `eval "$(ssh-agent)"` and add the key with `ssh-add`, or log in with a key file.',
    },
    failed: {
      cause:
        'SSH itself failed (code 255): the machine cannot be reached, or refuses the login. The output does not say which.',
      remedy: 'Run `ssh -v USER@HOST true`: its last lines name the reason.',
    },
    no_rsync: {
      cause:
        'rsync did not start on the other machine, or ended in mid-transfer: mostly it is not installed there.',
      remedy:
        'Install it on both machines (`sudo apt-get install rsync`), and see that the disk there has room (`df -h`).',
    },
    host_key_changed: {
      cause:
        'The machine at this address is another one than before, or was reinstalled; or this is a man-in-the-middle attack.',
      remedy: 'Compare the fingerprint on the machine’s own console before you accept the new key.',
    },
    throttled: {
      cause:
        'The SSH server hung up before the login: too many connections at once, or this address is under a penalty.',
      remedy: 'Wait some minutes, then connect once; look for fail2ban or MaxStartups on the node.',
    },
    denied: {
      cause: 'The login was refused (the server takes: {{methods}}).',
      remedy: 'Check the user name, and that the public key is in ~/.ssh/authorized_keys of that user.',
    },
    host_key_unknown: {
      cause:
        'A tool on the node connected to a machine whose host key it does not know, and there was nobody to ask.',
      remedy:
        'Compare the fingerprint with the machine’s own, then write it down once on the node: `ssh-keyscan HOST >> ~/.ssh/known_hosts`; for git use https:// instead.',
    },
    too_many_keys: {
      cause: 'The SSH agent offered more keys than the server lets try, and the right one did not come.',
      remedy:
        'Name the key: `ssh -o IdentitiesOnly=yes -i ~/.ssh/KEY HOST`, or the same two lines in ~/.ssh/config.',
    },
    key_readable: {
      cause: 'ssh does not use a private key that other users can read.',
      remedy: '`chmod 600 ~/.ssh/KEY`; on a Windows disk copy it into the home folder of Linux first.',
    },
    key_format: {
      cause:
        'ssh cannot read the private key {{key}}: it is a public key, of PuTTY’s format, damaged, or lacks its last line.',
      remedy:
        '`ssh-keygen -y -f KEY` must print the public key; convert PuTTY’s with `puttygen KEY.ppk -O private-openssh -o KEY`.',
    },
    no_common_algorithm: {
      cause: 'Client and server have no {{kind}} in common: one of them is much older.',
      remedy:
        'Update the older one. Until then, for this host alone in ~/.ssh/config: `HostKeyAlgorithms +ssh-rsa` or `KexAlgorithms +…` with a name from ‘Their offer’.',
    },
    refused: {
      cause: '{{host}} answers, but no SSH server listens on its port {{port}}.',
      remedy:
        'Check the port; on the machine itself: `sudo systemctl enable --now ssh`. After a reboot wait a minute.',
    },
    timeout: {
      cause:
        'The SSH server does not answer: the machine is off, the address is wrong, or a firewall drops the packets.',
      remedy:
        '`ping HOST` and `nc -vz HOST 22`; clouds need port 22 opened in the security group. From outside you may need a jump host.',
    },
    dropped: {
      cause: 'The SSH connection was lost while it was idle or the network broke.',
      remedy:
        'Connect again; `ServerAliveInterval 30` in ~/.ssh/config keeps it open. Start long commands with `tmux` or `setsid`.',
    },
    local_port: {
      cause: 'The port {{port}} that ssh is to forward is taken already, often by an earlier ssh.',
      remedy: 'End it (`ss -ltnp` names it), or forward another port.',
    },
    forwarding: {
      cause: 'The SSH server does not allow port forwarding, or its port is taken.',
      remedy:
        'On the server: `AllowTcpForwarding yes` in /etc/ssh/sshd_config, then `sudo systemctl reload ssh`; and end what holds the port (`ss -ltnp`).',
    },
    forward_target: {
      cause: 'The forwarded port leads to nothing: on the other side no program answers there ({{reason}}).',
      remedy: 'Start that program first, and check its address and port on the other side: `ss -ltn`.',
    },
    passphrase: {
      cause: 'The private key is protected by a passphrase, and nobody was there to type it.',
      remedy:
        'Load it into the agent first: `ssh-add ~/.ssh/KEY`; or let Ringlab ask for it when it connects.',
    },
    damaged: {
      cause: 'Data of the SSH connection arrived damaged: a faulty network card, its driver, or a middlebox.',
      remedy:
        'Connect again; if it comes back, update the network driver, or turn off its offloading: `sudo ethtool -K eth0 tx off rx off`.',
    },
    config: {
      cause:
        'ssh refuses its configuration file: an option it does not know, or a file that others may write.',
      remedy: 'Correct the line it names, or `chmod 600 ~/.ssh/config`.',
    },
    noisy_shell: {
      cause: 'The node’s shell prints text at login (from .bashrc or the like), which breaks file transfers.',
      remedy: 'Print only in interactive shells: `[[ $- == *i* ]] || return` at the top of .bashrc.',
    },
    no_sftp: {
      cause: 'The node’s SSH server offers no file transfer (SFTP).',
      remedy: 'Install openssh-sftp-server there, or use `scp -O`.',
    },
    not_ssh: {
      cause:
        'What answers at this address and port is not an SSH server, or a proxy on the way changes what it says.',
      remedy:
        'Check the port (often 22 on the node itself, another behind a gateway) and the proxy of the connection.',
    },
  },
  kernel: {
    module_missing: {
      cause:
        'The running kernel has no module {{module}}: the kernel was updated without a reboot, or the module is in another package.',
      remedy:
        'Reboot if a kernel was updated; on Ubuntu install `linux-modules-extra-$(uname -r)`. In a container, load the module on its host.',
    },
  },
  container: {
    no_gpu: {
      cause:
        'The container runtime cannot give the container a GPU: NVIDIA’s container toolkit is missing on the host, or does not find the driver.',
      remedy:
        'On the host: `sudo apt-get install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker`; `nvidia-smi` must work there first.',
    },
    lost_gpu: {
      cause: 'The container lost its access to the GPU: mostly after `systemctl daemon-reload` on the host.',
      remedy:
        'Restart the container; for good, set `"exec-opts": ["native.cgroupdriver=cgroupfs"]` in the host’s /etc/docker/daemon.json.',
    },
    not_permitted: {
      cause: 'The user of this connection may not use Docker.',
      remedy: 'Add the user to the group `docker` and log in again, or use sudo.',
    },
    no_daemon: {
      cause: 'Docker’s service does not run on this node.',
      remedy:
        'Start it: `sudo systemctl start docker`, and read `journalctl -u docker` where it does not start.',
    },
    no_image: {
      cause:
        'The container image cannot be fetched: its name or tag is wrong, it is private, or its registry cannot be reached.',
      remedy:
        'Check the name and tag, log in to the registry, or load the image from a file (`docker load`).',
    },
  },
  pip: {
    broken_environment: {
      cause:
        'The virtual environment {{path}} is damaged: files of its own are missing, or the Python it was made from is gone.',
      remedy: 'Remove the folder and make it again (`uv venv`, `python3 -m venv`).',
    },
    cannot_uninstall: {
      cause:
        'pip cannot replace {{package}}: the system’s own packages installed it, without a list of its files.',
      remedy: 'Install into a virtual environment, or with `--ignore-installed {{package}}`.',
    },
    requirements_file: {
      cause:
        'pip looked for a package that is called as the file of requirements is: `-r` is missing before its name.',
      remedy: 'Run `pip install -r requirements.txt`.',
    },
    lock_outdated: {
      cause: 'The lock file {{path}} does not fit the project’s dependencies, or cannot be read.',
      remedy: 'Run `uv lock` (or `poetry lock`), and commit the lock file.',
    },
    no_environment: {
      cause: 'uv finds no virtual environment to install into.',
      remedy: 'Create one with `uv venv` in this folder, or name the interpreter with `--python`.',
    },
    no_project: {
      cause: 'The folder has no Python project: neither pyproject.toml nor setup.py is in it.',
      remedy: 'Change to the folder of the project, or install from its requirements.txt.',
    },
    untrusted_host: {
      cause:
        'pip ignores the package index {{host}}: it is not encrypted (no HTTPS), or its certificate is not trusted.',
      remedy:
        'Use its https:// address or another mirror. Where you trust it, add `--trusted-host {{host}}`.',
    },
    managed: {
      cause: 'The distribution manages this Python itself, so pip may not install into it (PEP 668).',
      remedy: 'Use an environment: `python3 -m venv ~/env && ~/env/bin/pip install …`.',
    },
    python_version: {
      cause: 'A package does not support this Python ({{found}}; it wants {{wanted}}).',
      remedy:
        'Create the environment with another Python (`uv venv --python 3.11`), or choose another version of the package.',
    },
    not_found: {
      cause: 'No package index has {{package}} for this Python, system and processor, or in this version.',
      remedy:
        'Check the name, and `python --version` against the package’s files. Builds of torch such as +cu118 are only at `--index-url https://download.pytorch.org/whl/cu118`; versions that are gone need an older Python or a newer version.',
    },
    conflict: {
      cause: 'The wanted packages ask for versions that exclude each other.',
      remedy:
        'Loosen what is pinned with `==`, and install all in one command; the lines around this one name the pair. `uv pip install` explains conflicts at length.',
    },
    hash: {
      cause:
        'A downloaded package is not the one whose hash was written down: the file changed, or was damaged on the way.',
      remedy:
        '`pip cache purge`, then try again; if it comes back, compare the hash with the index before you change the requirements file.',
    },
    build_failed: {
      cause:
        'A package had to be compiled, and that failed: there is no ready wheel for this Python and system.',
      remedy:
        'The compiler’s first error stands above. Install `build-essential python3-dev`, or choose a Python or version of the package for which there is a wheel (`pip install --only-binary :all: …` shows that). Where it says that torch is missing, install torch first and add `--no-build-isolation`.',
    },
    not_there: {
      cause: 'The package index answered {{status}} for {{url}}.',
      remedy:
        '404: check the index URL and the package’s name. 401 or 403: the index wants a login, or blocks this address. 5xx: try again later, or use another mirror.',
    },
    unreachable: {
      cause: 'The package index {{host}} does not answer from this node.',
      remedy:
        'Lend the node this computer’s connection while it is prepared, or use a near mirror: `pip install -i https://pypi.tuna.tsinghua.edu.cn/simple …`; for slow links `--timeout 120`.',
    },
    bad_requirement: {
      cause: 'A line of the requirements is not one that pip or uv can read.',
      remedy:
        'Correct the line that the message names: `NAME==VERSION`, `NAME>=VERSION`, or `NAME @ ADDRESS`; conda’s `NAME=VERSION=BUILD` is not understood.',
    },
  },
  python: {
    no_ssl: {
      cause: 'This Python cannot use TLS: its ssl module does not find OpenSSL’s libraries.',
      remedy:
        'Reinstall the environment (micromamba or Miniconda afresh), or run it with its own `bin` folder first in PATH; a Python built by hand needs `libssl-dev` before it is built.',
    },
    numpy2: {
      cause:
        'A package was built for another NumPy than the one installed (NumPy 2 loads nothing that was built for NumPy 1).',
      remedy:
        "`pip install 'numpy<2'`, or upgrade the package named in the lines below (torch works with NumPy 2 from 2.3 on).",
    },
    no_module: {
      cause: 'Python finds no module {{module}} in this environment.',
      remedy:
        'Install it into the Python that runs the script (`python -m pip install …`; the package’s name may differ from the module’s), or start the script in the folder that holds the module.',
    },
    import_name: {
      cause: '{{module}} has no {{name}} in the version that is installed: two packages do not fit together.',
      remedy:
        "Install the version that the script was written for (`pip install 'PACKAGE==VERSION'`), or upgrade both; a file of your own with the module’s name hides it.",
    },
    no_venv: {
      cause:
        'This Python cannot make virtual environments: Debian and Ubuntu keep that in a package of its own.',
      remedy:
        '`sudo apt install python3-venv` (with the version: python3.12-venv), or let the wheels runtime make the environment with uv.',
    },
    torch_companions: {
      cause: 'torch and torchvision (or torchaudio) are of versions that do not belong together.',
      remedy: 'Install both from one index in one command, for example `pip install -U torch torchvision`.',
    },
    not_found: {
      cause: 'There is no {{wanted}} on this node.',
      remedy: 'Let uv fetch it (`uv python install`), or ask for a version that the node has.',
    },
    removed_name: {
      cause: 'The script uses `{{name}}`, which the installed version of a package does not have.',
      remedy:
        'Install the version that the script was written for (its requirements or README name it), or change the call.',
    },
    too_old: {
      cause: 'The script is written for a newer Python than the one that runs it.',
      remedy: 'Use a newer Python (the wheels runtime can fetch one), or an older version of the script.',
    },
    syntax: {
      cause: 'Python cannot read the script: {{reason}}.',
      remedy:
        'Correct the line above this message. A `print` without brackets is Python 2; `match`, `:=` or new f-strings need a newer Python.',
    },
    encoding: {
      cause: 'Text was read or written in the node’s encoding, which does not have these characters.',
      remedy: 'Set PYTHONUTF8=1 (and LANG=C.UTF-8) for the run, or open files with `encoding="utf-8"`.',
    },
    wrong_version: {
      cause: 'A package asks for {{wanted}}, and another version is installed ({{found}}).',
      remedy: 'Install the version asked for: `pip install "{{wanted}}"`, or update both packages together.',
    },
  },
  tensor: {
    devices: {
      cause:
        'An operation got tensors that are on different devices, for example one on the GPU and one on the CPU.',
      remedy:
        'Move model and inputs to the same device in the script: `model.to(device)`, `images.to(device)`, also tensors that the model creates itself (register them as buffers).',
    },
    types: {
      cause: 'An operation got tensors of different types, for example half precision and single precision.',
      remedy:
        'Run the computation under `torch.autocast(…)`, or convert with `.to(dtype)` so that model and inputs have one type.',
    },
    shapes: {
      cause:
        'The shape of a tensor does not fit the layer: images of another size or number of channels, or another model.',
      remedy:
        "Print the shape before that layer; for images check size and channels (`.convert('RGB')`), and the input size that the architecture wants.",
    },
    index: {
      cause:
        'An index is larger than the table it looks into: a token beyond the vocabulary, or a position beyond the longest sequence.',
      remedy:
        'Compare the largest index of the data with the size of the embedding (or the tensor’s dimension).',
    },
  },
  process: {
    killed: {
      cause:
        'The process was ended from outside with SIGKILL: mostly by the kernel because memory was used up, else by a user, a job scheduler or the container’s limit.',
      remedy:
        "`sudo dmesg -T | grep -iE 'killed process|oom'` says if it was memory; then use a smaller batch or fewer loader workers.",
    },
    bus_error: {
      cause:
        'The process read memory that its file no longer backs: /dev/shm or the disk is full, or a file was shortened while it was mapped.',
      remedy:
        '`df -h /dev/shm /`; start containers with `--shm-size=8g` or `--ipc=host`, and use fewer loader workers.',
    },
    crashed: {
      cause:
        'The process crashed in a library (not in Python): mostly libraries that do not fit together, seldom bad memory.',
      remedy:
        'Run once with `PYTHONFAULTHANDLER=1`: it names the function. Install torch and the package in question again, of versions that belong together; `sudo dmesg | tail` names the library.',
    },
  },
  archive: {
    damaged: {
      cause:
        'An archive is damaged: its download was cut short, the disk was full, or it is an error page of a server.',
      remedy:
        'Delete and fetch it again (`wget -c`), and compare size and checksum with those that its source names; `file ARCHIVE` shows what it is.',
    },
  },
  file: {
    no_locks: {
      cause:
        'The file system does not support locks: many network file systems, and some of containers and phones.',
      remedy: 'Put the folder (of uv: UV_CACHE_DIR) on a local disk.',
    },
    denied: {
      cause: 'The user of this process may not read or write {{path}}.',
      remedy:
        '`ls -ld` of the file and its folder; give it to the user (`sudo chown -R USER FOLDER`), or choose a folder of your own. A script wants `chmod +x`.',
    },
    missing: {
      cause:
        'There is no {{path}} on this node, or the script runs in another folder than the path is meant for.',
      remedy:
        '`ls -l` it on this node (each node needs its own copy), or give the full path; `pwd` at the script’s start shows its folder.',
    },
    exists: {
      cause: 'Several ranks make the same file or folder at once: {{path}}.',
      remedy: 'Use `os.makedirs(…, exist_ok=True)`, or let rank 0 make it and wait for it with a barrier.',
    },
    bad_name: {
      cause:
        'The file system of this folder does not take such names (Windows’ file systems refuse | : ? * and others).',
      remedy:
        'Unpack into a folder of the node’s own file system (ext4, xfs), not of a Windows share or disk.',
    },
  },
  git: {
    password: {
      cause:
        'git wants a name and password, and nobody is there to type them; the repository is private, or does not exist.',
      remedy:
        'Check the address. For a private one use a key (`git clone git@HOST:OWNER/REPOSITORY.git`) or a token: `git config --global credential.helper store`.',
    },
    transfer: {
      cause:
        'The connection broke while git was transferring: a slow or unstable way, a proxy, or too large a repository.',
      remedy:
        'Fetch less: `git clone --depth 1 …`, then `git fetch --unshallow` in parts; or use a mirror, or ssh instead of https.',
    },
    ownership: {
      cause: 'The repository belongs to another user, and git does not trust it.',
      remedy: '`git config --global --add safe.directory {{path}}`, or give the folder to the user.',
    },
    no_revision: {
      cause: 'The repository has no branch, tag or commit {{revision}}.',
      remedy:
        'Check the name (`git ls-remote ADDRESS`); a commit has to be on a branch that the server gives out.',
    },
    folder_exists: {
      cause: '{{path}} exists already and is not empty.',
      remedy: 'Remove it, or fetch into the clone that is there: `git -C {{path}} pull`.',
    },
    lfs: {
      cause: 'The repository’s large files (Git LFS) could not be fetched.',
      remedy:
        'Install git-lfs on the node, clone with GIT_LFS_SKIP_SMUDGE=1 where they are not needed, or fetch them elsewhere where the server’s quota is used up.',
    },
    local_changes: {
      cause: 'Files of the clone on the node were changed, and git does not overwrite them.',
      remedy: 'Keep them with `git stash`, or drop them with `git checkout -- .` in the clone.',
    },
    locked: {
      cause: 'Another git works in this clone, or one was cut off there.',
      remedy: 'If none runs any more, remove {{path}}.',
    },
  },
  ddp: {
    devices: {
      cause: 'DDP got `device_ids` for a model that is on the CPU, or on several GPUs.',
      remedy: 'Move the model to the rank’s GPU before DDP, or leave out `device_ids`.',
    },
    unused_parameters: {
      cause:
        'Some parameters got no gradient in the last step, so that DistributedDataParallel still waits for them.',
      remedy:
        'Let every parameter take part in the loss, or wrap with `DistributedDataParallel(model, find_unused_parameters=True)`.',
    },
    marked_twice: {
      cause:
        'A parameter’s gradient was ready twice in one step: it is used by several forward passes, or checkpointed activations and unused parameters are combined.',
      remedy:
        'Use `use_reentrant=False` for activation checkpointing, `static_graph=True`, or one forward pass a step through the DDP module.',
    },
    other_model: {
      cause: 'The ranks did not build the same model.',
      remedy:
        'Compare code and arguments on all nodes; what differs by rank (random sizes, labels counted on the node’s own data) must not shape the model.',
    },
  },
  elastic: {
    rendezvous: {
      cause:
        'torchrun’s agents did not meet: the address of `--rdzv-endpoint` is not reachable, or its store ended.',
      remedy:
        'Start the agent of that address first, open its port, and use the same `--rdzv-id`, `--rdzv-endpoint` and `--nnodes` everywhere.',
    },
    killed: {
      cause:
        'A rank was ended from outside with SIGKILL: nearly always by the kernel because the node’s memory was used up.',
      remedy:
        "`sudo dmesg -T | grep -iE 'killed process|oom'` on that node says so. Use a smaller batch, fewer loader workers or fewer ranks on it.",
    },
    crashed: {
      cause: 'A rank crashed in a library; torchrun only reports it.',
      remedy:
        'The reason is in that rank’s own output above, or in `sudo dmesg | tail`. `TORCH_SHOW_CPP_STACKTRACES=1 PYTHONFAULTHANDLER=1` shows the place.',
    },
    stopped: {
      cause:
        'The ranks got a signal to stop: the terminal closed, a job scheduler ended them, or another rank failed first.',
      remedy:
        'Start with `setsid` or in `tmux` so that a closed terminal does not end it; else look for the rank that failed first, and the scheduler’s time limit.',
    },
    child_failed: {
      cause: 'A rank’s script ended with an error; torchrun or the scheduler only reports it.',
      remedy:
        'The reason is the traceback of that rank, above. If it is not shown, start with `torchrun --log-dir logs --redirects 3` and read its stderr.log.',
    },
  },
  scheduler: {
    not_ending: {
      cause:
        'Slurm could not end the processes of the job: they hang in the kernel, mostly in a file system or a GPU driver.',
      remedy: 'The node has to be looked at (`dmesg`), or restarted, by its administrator.',
    },
    gres: {
      cause:
        'Slurm’s gres.conf names a GPU that the node does not have, or whose driver is not loaded: {{path}}.',
      remedy: 'See whether `nvidia-smi` works on that node, and correct gres.conf.',
    },
    bad_script: {
      cause:
        'Slurm does not take the file as a batch script: its first line must name an interpreter, and its lines must end as on Linux.',
      remedy: 'Begin it with `#!/bin/bash`; remove Windows line ends with `dos2unix`.',
    },
    clock: {
      cause:
        'The node refused the job’s credential as expired: the clocks of the nodes differ, or the job waited too long to start.',
      remedy:
        'Compare `date` on the nodes and start time synchronisation (chrony); an administrator may raise `cred_expire` of slurm.conf’s AuthInfo.',
    },
    cancelled: {
      cause:
        'The job was cancelled: by `scancel`, by an administrator, or because a job of higher priority took its nodes.',
      remedy: 'Resume from the last checkpoint; `sacct -j JOB` shows who ended it.',
    },
    partition: {
      cause: 'The cluster has no such partition.',
      remedy: 'Choose one that `sinfo` lists, or leave the field empty for the default.',
    },
    account: {
      cause: 'This account, QOS or partition is not open to this user.',
      remedy:
        '`sacctmgr show assoc user=$USER format=account,partition,qos` lists what is; otherwise ask the administrators.',
    },
    size: {
      cause: 'No node of the partition has as many GPUs, CPUs, as much memory or time as the job asks for.',
      remedy:
        '`sinfo -o "%P %l %c %m %G"` shows what nodes have; draw smaller nodes, or choose another partition.',
    },
    time_limit: {
      cause: 'The job reached its time limit, and the scheduler ended it.',
      remedy:
        'Ask for more time, or let the job save, requeue and continue before its limit; resume from the last checkpoint.',
    },
    refused: {
      cause: 'The scheduler does not take the job: {{reason}}.',
      remedy:
        'Compare partition, account, GPUs and time with what `sinfo` and `sacctmgr show assoc user=$USER` offer.',
    },
    unreachable: {
      cause: 'The scheduler’s controller does not answer from this node.',
      remedy:
        'Log in to the cluster’s login node; `scontrol ping` shows whether slurmctld runs; munge needs the same key and clock everywhere.',
    },
    node_failed: {
      cause: 'A node of the job failed, so the scheduler ended the job.',
      remedy:
        'Submit it again with `--requeue`, without that node (`--exclude`), and resume from the last checkpoint.',
    },
  },
  download: {
    checksum: {
      cause:
        'A downloaded file is not the one whose checksum was expected: it was cut short, replaced by an error page, or has a newer version.',
      remedy:
        'Delete it (also from the cache that the message names) and download again; `ls -l` and `file` show what it is. If it comes back, look for a newer version of the data set’s package.',
    },
  },
  compile: {
    no_triton: {
      cause: '`torch.compile` needs Triton on a GPU, and it is not installed or does not work.',
      remedy: 'Install the triton version that belongs to this torch, or run without `torch.compile`.',
    },
    failed: {
      cause: '`torch.compile` could not compile the model.',
      remedy:
        'The reason stands below it. Run without `torch.compile` (TORCH_COMPILE_DISABLE=1), or keep what it cannot trace out of it.',
    },
    kernel_build: {
      cause: 'Triton could not compile its helper for CUDA: the compiler’s own error stands above.',
      remedy:
        'Mostly Python’s development files (python3-dev) or `libcuda.so` for `-lcuda` are missing on the node: install them, or run without `torch.compile`.',
    },
  },
  autograd: {
    inplace: {
      cause: 'A tensor that the backward pass needs was changed in place.',
      remedy:
        'Look for `+=`, `relu_(…)`, `inplace=True`, or a forward pass that runs twice before backward; `torch.autograd.set_detect_anomaly(True)` names the operation. With DDP, buffers of batch norm count too: `broadcast_buffers=False`.',
    },
    no_gradient: {
      cause: 'Nothing that the loss depends on requires a gradient.',
      remedy:
        'Check that the parameters are not frozen, that the forward pass is not under `torch.no_grad()`, and that the loss is not detached (`.item()`, `.detach()`, NumPy).',
    },
    second_backward: {
      cause: '`backward()` ran twice over one graph, whose saved tensors are freed after the first.',
      remedy:
        'Compute the loss anew for each step, detach what is carried from step to step (hidden states), or pass `retain_graph=True` where it is meant.',
    },
  },
  loss: {
    not_finite: {
      cause:
        'The loss is no longer a number: the learning rate is too high, a division by zero, or float16 overflows.',
      remedy:
        'Lower the learning rate, warm up, clip gradients, look for broken inputs; with mixed precision use a GradScaler or bfloat16.',
    },
  },
  script: {
    key: {
      cause:
        'The script looked up {{key}}, which is not there: a column or file of the data set, a field of the checkpoint, or a setting.',
      remedy: 'Compare the data set’s layout and the configuration with what the script’s README expects.',
    },
    line_ends: {
      cause: 'The script has Windows line ends.',
      remedy: "Convert it: `sed -i 's/\\r$//' FILE`, and set `* text=auto eol=lf` in .gitattributes.",
    },
    terminal: {
      cause: 'The script asks its terminal for something, such as its width; a run has none.',
      remedy:
        'Replace the call: `shutil.get_terminal_size()` answers without a terminal, `stty size` and `os.get_terminal_size()` do not.',
    },
    question: {
      cause:
        'The script asks a question (`input()`, `getpass()`, a breakpoint); nobody can answer it during a run.',
      remedy: 'Give the answer as an argument or an environment variable, or leave the question out.',
    },
    interpreter: {
      cause:
        'The program that the first line of the script (or the program’s loader) names is not on this node.',
      remedy:
        'Environments do not survive being moved or copied: make it again on this node, or call the script with `python`.',
    },
    arguments: {
      cause: 'The script was started with other arguments than it takes: {{arguments}}.',
      remedy: 'Compare with `python SCRIPT --help`, and correct the arguments of the experiment.',
    },
    bad_config: {
      cause:
        'A configuration file (JSON, YAML or TOML) cannot be read: it is damaged, empty, or wrongly written.',
      remedy:
        'The line and column stand in the message; check that the file arrived whole on this node and is not an error page.',
    },
  },
  hub: {
    gated: {
      cause: 'The model or data set on the hub is given only to accounts that accepted its terms.',
      remedy: 'Accept the terms on its page, and give the run a token: HF_TOKEN as a secret variable.',
    },
    unreachable: {
      cause: 'The model hub cannot be reached from this node, and the files are not in its cache.',
      remedy:
        'Set HF_ENDPOINT to a mirror that the node reaches, copy the cache (~/.cache/huggingface) there, or lend this computer’s internet.',
    },
    no_model: {
      cause: 'There is no such model on the hub, or no such folder on this node.',
      remedy:
        'Check the name; a path has to exist on every node; a private one needs HF_TOKEN as a secret variable.',
    },
    dataset_script: {
      cause: 'This data set is loaded by a script of its own, which datasets 4 no longer runs.',
      remedy: 'Install `datasets<4`, or take the copy of the data set in Parquet.',
    },
  },
  wandb: {
    login: {
      cause: 'Weights & Biases wants a login, and nobody is there to type one.',
      remedy:
        'Set WANDB_MODE=offline (Ringlab reads its offline files), or WANDB_API_KEY as a secret variable; `import ringlab.wandb as wandb` needs no account.',
    },
  },
  kubernetes: {
    unschedulable: {
      cause: 'Kubernetes finds no node for the pod: {{reason}}',
      remedy: 'Ask for what a node has (GPUs, memory), tolerate its taints, or wait until other pods end.',
    },
    quota: {
      cause: 'The namespace’s quota in Kubernetes does not allow this pod.',
      remedy:
        'Ask for fewer GPUs or less memory, delete ended pods, or have the quota raised (`kubectl describe quota`).',
    },
    forbidden: {
      cause: 'This account may not do that in the cluster.',
      remedy:
        'Use the namespace that you were given (`kubectl auth can-i --list`), or ask its administrator.',
    },
    volume: {
      cause: 'A volume of the pod cannot be mounted.',
      remedy:
        'Check that the claim exists in this namespace and is bound (`kubectl get pvc`), and that its server is reached from the node.',
    },
    crash_loop: {
      cause: 'The pod’s program ends again and again after its start.',
      remedy: 'Its own last words are in `kubectl logs POD --previous`.',
    },
  },
} as const;

/** In the place of what a tool left out. */
export const leftOut = '(unknown)';
