/** What the doctor says of each failure it knows: why it happens, and what to do. `{{name}}` is what a pattern has caught. */
export const diagnoses = {
  driver: {
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
        'Look with `lspci | grep -i nvidia` whether the machine has one; on a virtual machine, whether it was passed through and powered.',
    },
    x_server: {
      cause: 'A graphical session uses the GPU while the driver is to be replaced.',
      remedy: 'Stop the display manager (`systemctl isolate multi-user.target`) and install again.',
    },
    module_in_use: {
      cause: 'The old module is still used by some process, so it cannot be replaced.',
      remedy: 'End what uses the GPU (`fuser -v /dev/nvidia*` names it), or reboot.',
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
  },
  apt: {
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
  },
  sudo: {
    password: {
      cause: 'sudo asks for a password on this node.',
      remedy: 'Type it in the window when it is asked; it is not kept in clear.',
    },
    denied: {
      cause: '{{user}} may not install anything on this node.',
      remedy:
        'Ask the administrator for sudo or for these packages; or use the conda runtime, which needs no rights.',
    },
  },
  conda: {
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
      cause: 'More GPUs are asked for than this node has, or CUDA_VISIBLE_DEVICES hides some.',
      remedy: 'Correct the number of GPUs of this node in the lab.',
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
  },
  cudnn: {
    not_initialised: {
      cause: 'cuDNN or cuBLAS could not start: nearly always the GPU’s memory is full.',
      remedy: 'Use a smaller batch, and see with `nvidia-smi` who else uses the GPU.',
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
  },
  data: {
    no_classes: {
      cause: 'The data folder has no class folders, or one without pictures.',
      remedy: 'It has to look like train/CLASS/picture.jpg and val/CLASS/picture.jpg.',
    },
    broken_image: {
      cause: 'A picture is broken or cut short.',
      remedy:
        'Delete or fetch it again; Ringlab’s trainer skips up to 1 % of broken pictures and names each.',
    },
    shared_memory: {
      cause: '/dev/shm is too small for what the processes share; containers give it 64 MB.',
      remedy: 'Start the container with `--shm-size=8g` or `--ipc=host`, or use fewer loader workers.',
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
  },
  memory: {
    killed: {
      cause: 'The kernel ended a process because the node’s memory was used up.',
      remedy: 'Use a smaller batch, fewer loader workers or fewer ranks on this node.',
    },
  },
  build: {
    killed: {
      cause: 'The compiler was ended for want of memory: a file on libtorch’s headers takes about 1.6 GB.',
      remedy: 'Build with fewer jobs at once, or add swap.',
    },
    cmake_old: {
      cause: 'CMake {{found}} is too old; {{wanted}} is needed.',
      remedy: 'Choose the conda runtime, which brings its own CMake, or install a newer one.',
    },
    no_torch: {
      cause: 'libtorch’s development files are not on the node.',
      remedy: 'Let the runtime step install them (Debian: libtorch-dev), or name a libtorch that is there.',
    },
    no_library: {
      cause: 'The development files of {{library}} are missing.',
      remedy: 'Install libjpeg-dev and zlib1g-dev, or let the runtime step do it.',
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
      remedy: 'The runtime was moved or removed since the trainer was built: prepare the node again.',
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
      cause: 'Another program listens on rank 0’s port; often an earlier run that still lives.',
      remedy: 'Choose another port, or end the old process (`ss -ltnp` names it).',
    },
    clients_missing: {
      cause: 'Only {{joined}} of {{world}} ranks came.',
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
  },
  gloo: {
    interface: {
      cause: 'The network interface {{interface}} does not exist on this node, or has no address.',
      remedy: 'Leave the choice to Ringlab, or name an interface that `ip -br addr` shows.',
    },
  },
  nccl: {
    interface: {
      cause: 'NCCL found no network interface of the name in NCCL_SOCKET_IFNAME.',
      remedy: 'Unset NCCL_SOCKET_IFNAME, or name an interface that `ip -br addr` shows.',
    },
    duplicate_gpu: {
      cause: 'Ranks {{a}} and {{b}} use the same GPU, which NCCL does not allow.',
      remedy: 'One rank a GPU: set the node’s number of GPUs to what it has, or use gloo.',
    },
    timeout: {
      cause:
        'A rank waited in {{operation}} for one that never came: it hangs, died, or took another path through the code.',
      remedy: 'Look which rank’s last step is the oldest; its log and its network say why.',
    },
    connect: {
      cause: 'NCCL cannot speak to {{peer}}: {{reason}}.',
      remedy:
        'Open all ports between the nodes, and let NCCL use the interface that joins them (NCCL_SOCKET_IFNAME).',
    },
    system_error: {
      cause: 'NCCL failed below itself: the network, memory, or another rank.',
      remedy: 'Run once with NCCL_DEBUG=INFO; the first “NCCL WARN” line names the cause.',
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
  },
  ssh: {
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
      cause: 'The login was refused; the server takes: {{methods}}.',
      remedy: 'Check the user name, and that the public key is in ~/.ssh/authorized_keys of that user.',
    },
  },
} as const;

/** In the place of what a tool left out. */
export const leftOut = '(unknown)';
