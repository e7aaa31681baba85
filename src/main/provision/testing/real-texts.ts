/**
 * For tests: real error output of tools; host names and addresses are invented. The first failure of a text is the
 * expected one.
 */
export const realTexts: readonly (readonly [code: string, text: string])[] = [
  [
    'driver.dead_after_update',
    `NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n`,
  ],
  [
    'driver.version_mismatch',
    'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183\n',
  ],
  [
    'driver.version_mismatch',
    '[ 1042.1] NVRM: API mismatch: the client has the version 535.183.01, but\n[ 1042.1] NVRM: this kernel module has the version 535.161.08.\n',
  ],
  [
    'driver.module_missing',
    'modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.4.0-150-generic\n',
  ],
  ['driver.not_installed', 'bash: nvidia-smi: command not found\n'],
  [
    'driver.not_installed',
    "Command 'nvidia-smi' not found, but can be installed with:\nsudo apt install nvidia-utils-470\n",
  ],
  [
    'driver.nouveau',
    'ERROR: The Nouveau kernel driver is currently in use by your system.  This driver is incompatible with the NVIDIA driver, and must be disabled before proceeding.\n',
  ],
  ['driver.secure_boot', "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n"],
  [
    'driver.secure_boot',
    'ERROR: The kernel module failed to load. Secure boot is enabled on this system, so this is likely because it was not signed by a key that is trusted by the kernel.\n',
  ],
  [
    'driver.no_headers',
    "Error! Your kernel headers for kernel 6.1.0-18-amd64 cannot be found at /lib/modules/6.1.0-18-amd64/build or /lib/modules/6.1.0-18-amd64/source.\nPlease install the linux-headers-6.1.0-18-amd64 package or use the --kernelsourcedir option to tell DKMS where it's located.\n",
  ],
  [
    'driver.no_headers',
    'ERROR: Unable to find the kernel source tree for the currently running kernel.  Please make sure you have installed the kernel source files for your kernel and that they are properly configured\n',
  ],
  [
    'driver.compiler_mismatch',
    'cc: error: unrecognized command-line option ‘-ftrivial-auto-var-init=zero’\n',
  ],
  [
    'driver.compiler_mismatch',
    'Warning: Compiler version check failed:\n\nThe major and minor number of the compiler used to\ncompile the kernel:\n',
  ],
  [
    'driver.dkms_failed',
    'Error! Bad return status for module build on kernel: 6.8.0-40-generic (x86_64)\nConsult /var/lib/dkms/nvidia/470.256.02/build/make.log for more information.\n',
  ],
  [
    'driver.gpu_needs_proprietary',
    'NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b06)\nNVRM: installed in this system is not supported by open\nnvidia.ko because it does not include the required GPU\n',
  ],
  [
    'driver.legacy_gpu',
    'NVRM: The NVIDIA GeForce GTX 660 GPU installed in this system is\nNVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please\n',
  ],
  ['driver.no_gpu', 'No devices were found\n'],
  ['gpu.reset_required', 'Unable to determine the device handle for GPU 0000:3B:00.0: GPU requires reset\n'],
  ['driver.wsl', 'Failed to initialize NVML: GPU access blocked by the operating system\n'],
  ['driver.no_gpu', "modprobe: ERROR: could not insert 'nvidia': No such device\n"],
  [
    'driver.x_server',
    'ERROR: You appear to be running an X server; please exit X before installing.  For further details, please see the section INSTALLING THE NVIDIA DRIVER in the README\n',
  ],
  [
    'driver.module_in_use',
    "ERROR: An NVIDIA kernel module 'nvidia-drm' appears to already be loaded in your kernel.  This may be because it is in use (for example, by an X server, a CUDA program, or the NVIDIA Persistence Daemon)\n",
  ],
  [
    'gpu.lost',
    "NVRM: Xid (PCI:0000:65:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n",
  ],
  [
    'gpu.lost',
    'Unable to determine the device handle for GPU0000:65:00.0: GPU is lost.  Reboot the system to recover this GPU\n',
  ],
  ['gpu.memory_error', 'RuntimeError: CUDA error: uncorrectable ECC error encountered\n'],
  [
    'gpu.memory_error',
    'NVRM: Xid (PCI:0000:3b:00): 48, pid=2711, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU\n',
  ],

  [
    'apt.locked',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1387 (unattended-upgr)\nN: Be aware that removing the lock file is not a solution and may break your system.\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?\n',
  ],
  [
    'apt.locked',
    'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)\n',
  ],
  [
    'apt.interrupted',
    "E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem. \n",
  ],
  ['apt.no_such_package', 'E: Unable to locate package nvidia-driver-999\n'],
  ['apt.no_such_package', "E: Package 'nvidia-driver' has no installation candidate\n"],
  [
    'apt.unmet',
    'The following packages have unmet dependencies:\n libnvidia-compute-470 : Conflicts: libnvidia-compute\nE: Unable to correct problems, you have held broken packages.\n',
  ],
  [
    'apt.hash',
    'E: Failed to fetch http://archive.example.org/ubuntu/dists/jammy/main/binary-amd64/by-hash/SHA256/ab  Hash Sum mismatch\n',
  ],
  [
    'apt.hash',
    'E: Failed to fetch http://archive.example.org/x.deb  File has unexpected size (1395 != 1392). Mirror sync in progress? [IP: 192.0.2.1 80]\n',
  ],
  [
    'apt.unknown_key',
    "W: GPG error: https://download.example.org/cuda InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY A4B469963BF863CC\n",
  ],
  [
    'apt.release_gone',
    "E: The repository 'http://deb.example.org/debian buster Release' does not have a Release file.\n",
  ],
  [
    'apt.clock',
    'E: Release file for http://deb.example.org/debian/dists/bookworm/InRelease is not valid yet (invalid for another 5h 2min 3s). Updates for this repository will not be applied.\n',
  ],
  [
    'sudo.password',
    'sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required\n',
  ],
  ['sudo.denied', 'alice is not in the sudoers file.  This incident will be reported.\n'],
  ['sudo.denied', 'Sorry, user bob may not run sudo on n1.\n'],
  [
    'conda.no_cuda',
    '    The following packages are incompatible\n    └─ libtorch * cuda* is not installable because it requires\n       └─ __cuda >=12 , which is missing on the system.\n',
  ],
  ['conda.no_cuda', '  - nothing provides __cuda needed by pytorch-2.5.1-cuda126_py310h\n'],
  [
    'conda.not_found',
    'PackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch==9.9\n',
  ],
  [
    'conda.not_found',
    'error    libmamba Could not solve for environment specs\n    The following package could not be installed\n    └─ pytorch 9.9**  does not exist (perhaps a typo or a missing channel).\n',
  ],
  [
    'conda.unreachable',
    'CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.example.org/main/linux-64/current_repodata.json>\nElapsed: -\n\nAn HTTP error occurred when trying to retrieve this URL.\n',
  ],
  [
    'conda.unreachable',
    'critical libmamba Multi-download failed. Reason: Transfer finalized, status: 0 [https://conda.example.org/conda-forge/noarch/repodata.json.zst] Download error (28) Timeout was reached\n',
  ],
  [
    'conda.checksum',
    "ChecksumMismatchError: Conda detected a mismatch between the expected content and downloaded content\nfor url 'https://conda.example.org/pkgs/main/linux-64/cudatoolkit.tar.bz2'.\n",
  ],
  [
    'conda.checksum',
    'error    libmamba File not valid: SHA256 sum doesn\'t match expectation "/root/micromamba/pkgs/libtorch.conda"\n',
  ],
  [
    'conda.terms',
    'CondaToSNonInteractiveError: Terms of Service have not been accepted for the following channels. Please accept or remove them before proceeding:\n',
  ],
  [
    'conda.not_initialised',
    "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\nTo initialize your shell, run\n\n    $ conda init <SHELL_NAME>\n",
  ],
  ['conda.not_initialised', 'bash: conda: command not found\n'],

  [
    'cuda.out_of_memory',
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 9.78 GiB total capacity; 8.20 GiB already allocated; 13.31 MiB free; 8.31 GiB reserved in total by PyTorch)\n',
  ],
  [
    'cuda.driver_too_old',
    'UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 10010). Please update your GPU driver\n',
  ],
  ['cuda.driver_too_old', 'RuntimeError: CUDA driver version is insufficient for CUDA runtime version\n'],
  [
    'cuda.architecture',
    'NVIDIA GeForce RTX 3080 with CUDA capability sm_86 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.\n',
  ],
  [
    'cuda.architecture',
    'RuntimeError: CUDA error: no kernel image is available for execution on the device\n',
  ],
  ['cuda.cpu_build', 'AssertionError: Torch not compiled with CUDA enabled\n'],
  [
    'cuda.fabric_manager',
    'UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized\n',
  ],
  [
    'cuda.unknown_error',
    'UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start.\n',
  ],
  ['cuda.busy', 'RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable\n'],
  ['cuda.invalid_device', 'RuntimeError: CUDA error: invalid device ordinal\n'],
  [
    'cuda.device_assert',
    '../aten/src/ATen/native/cuda/Loss.cu:242: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.\nRuntimeError: CUDA error: device-side assert triggered\n',
  ],
  ['cuda.illegal_access', 'RuntimeError: CUDA error: an illegal memory access was encountered\n'],
  ['cudnn.not_initialised', 'RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n'],
  [
    'cudnn.not_initialised',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n',
  ],
  [
    'checkpoint.size_mismatch',
    'RuntimeError: Error(s) in loading state_dict for ResNet:\n\tsize mismatch for fc.weight: copying a param with shape torch.Size([1000, 512]) from checkpoint, the shape in current model is torch.Size([10, 512]).\n',
  ],
  [
    'checkpoint.damaged',
    'RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory\n',
  ],
  ['checkpoint.damaged', '_pickle.UnpicklingError: pickle data was truncated\n'],
  [
    'checkpoint.weights_only',
    '_pickle.UnpicklingError: Weights only load failed. This file can still be loaded, to do so you have two options\n',
  ],
  ['data.no_classes', "FileNotFoundError: Couldn't find any class folder in /data/imagenet/train.\n"],
  [
    'data.no_classes',
    'FileNotFoundError: Found no valid file for the classes n01440764. Supported extensions are: .jpg, .jpeg, .png\n',
  ],
  [
    'data.broken_image',
    "PIL.UnidentifiedImageError: cannot identify image file <_io.BufferedReader name='/data/train/cat/1.jpg'>\n",
  ],
  ['data.broken_image', 'OSError: image file is truncated (12 bytes not processed)\n'],

  [
    'data.shared_memory',
    "RuntimeError: DataLoader worker (pid 11453) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n",
  ],
  [
    'data.shared_memory',
    'n1:412:430 [0] include/shm.h:28 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-3tAqEz (size 9637888)\n',
  ],
  ['disk.full', "OSError: [Errno 28] No space left on device: 'checkpoint.pth.tar'\n"],
  ['disk.full', "E: You don't have enough free space in /var/cache/apt/archives/.\n"],
  ['disk.quota', "cp: error writing '/home/a/data/x.jpg': Disk quota exceeded\n"],
  ['disk.read_only', "mkdir: cannot create directory '/home/a/.ringlab': Read-only file system\n"],
  [
    'memory.killed',
    '[81213.2] Out of memory: Killed process 21873 (ringlab-train) total-vm:9412848kB, anon-rss:7654321kB\n',
  ],
  ['memory.killed', '[91.0] Memory cgroup out of memory: Killed process 511 (python3) total-vm:1kB\n'],
  [
    'build.failed',
    'FAILED: CMakeFiles/ringlab_engine.dir/Unity/unity_5_cxx.cxx.o\nc++: fatal error: Terminated signal terminated program cc1plus\ncompilation terminated.\nninja: build stopped: subcommand failed.\n',
  ],
  ['build.killed', 'c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n'],
  [
    'build.cmake_old',
    'CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.18 or higher is required.  You are running version 3.10.2\n',
  ],
  [
    'build.no_torch',
    'CMake Error at CMakeLists.txt:17 (find_package):\n  Could not find a package configuration file provided by "Torch" with any of\n  the following names:\n',
  ],
  [
    'build.no_library',
    'CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find JPEG (missing: JPEG_LIBRARY JPEG_INCLUDE_DIR)\n',
  ],
  [
    'library.glibc_old',
    "./ringlab-train: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./ringlab-train)\n",
  ],
  [
    'library.libstdcxx_old',
    "./ringlab-train: /usr/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by ./ringlab-train)\n",
  ],
  [
    'library.missing',
    './ringlab-train: error while loading shared libraries: libtorch_cuda.so: cannot open shared object file: No such file or directory\n',
  ],
  ['system.too_many_files', 'OSError: [Errno 24] Too many open files\n'],
  ['system.illegal_instruction', 'Illegal instruction (core dumped)\n'],
  ['clock.certificate', 'SSL certificate problem: certificate is not yet valid\n'],

  [
    'rank.port_in_use',
    'The server socket has failed to listen on any local network address. The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use). The server socket has failed to bind to 0.0.0.0:29500 (errno: 98 - Address already in use).\n',
  ],
  [
    'rank.clients_missing',
    'torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.\n',
  ],
  [
    'rank.master_unreachable',
    'TimeoutError: The client socket has timed out after 1800s while trying to connect to (10.0.0.1, 29500).\n',
  ],
  [
    'rank.master_unreachable',
    '[W socket.cpp:601] [c10d] The client socket has failed to connect to [n1]:29500 (errno: 111 - Connection refused).\n',
  ],
  [
    'rank.peer_closed',
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:589] Read error [10.0.0.2]:40938: Connection reset by peer\n',
  ],
  [
    'rank.peer_closed',
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:40938\n',
  ],
  [
    'gloo.interface',
    'RuntimeError: [enforce fail at ../third_party/gloo/gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: eth7\n',
  ],
  ['device.wrong_results', "the convolution's gradient is wrong by 3.25\n"],
  ['device.wrong_results', '64 MiB of memory do not hold what was written: their sum is wrong by -1048576\n'],
  ['nccl.interface', 'n2:5120:5120 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found\n'],
  [
    'nccl.duplicate_gpu',
    'n1:801:829 [0] init.cc:521 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000\n',
  ],
  [
    'nccl.timeout',
    '[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=412, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1801234 milliseconds before timing out.\n',
  ],
  [
    'nccl.connect',
    'n3:77:90 [0] misc/socket.cc:456 NCCL WARN socketStartConnect: Connect to 10.0.0.1<40321> failed : Connection refused\n',
  ],
  [
    'nccl.system_error',
    'ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\n',
  ],
  [
    'network.offline',
    'W: Failed to fetch http://mirror.example/debian/dists/bookworm/InRelease  Cannot initiate the connection to mirror.example:80 (192.0.2.10). - connect (101: Network is unreachable)\n',
  ],
  [
    'network.offline',
    "curl: (7) Failed to connect to conda.anaconda.org port 443 after 0 ms: Couldn't connect to server\n",
  ],
  [
    'network.name',
    "W: Failed to fetch http://archive.example.org/ubuntu/dists/bionic/InRelease  Temporary failure resolving 'archive.example.org'\n",
  ],
  ['network.name', 'curl: (6) Could not resolve host: conda.example.org\n'],
  ['network.no_route', 'ssh: connect to host 10.0.3.7 port 22: No route to host\n'],
  [
    'ssh.host_key_changed',
    '@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n',
  ],
  ['ssh.throttled', 'kex_exchange_identification: Connection closed by remote host\n'],
  ['ssh.denied', 'root@10.0.0.5: Permission denied (publickey,password).\n'],

  ['driver.not_permitted', "modprobe: ERROR: could not insert 'nvidia': Operation not permitted\n"],
  [
    'kernel.module_missing',
    'modprobe: FATAL: Module wireguard not found in directory /lib/modules/5.4.0-150-generic\n',
  ],
  [
    'container.no_gpu',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n',
  ],
  ['gpu.xid', '[ 812.4] NVRM: Xid (PCI:0000:01:00): 31, pid=3012, name=python3, Ch 00000008, MMU Fault\n'],
  [
    'driver.wrong_kernel',
    "nvidia: version magic '5.15.0-91-generic SMP mod_unload ' should be '5.15.0-92-generic SMP mod_unload '\n",
  ],
  [
    'apt.not_root',
    'E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n',
  ],
  [
    'apt.release_changed',
    "E: Repository 'http://deb.example.org/debian bullseye InRelease' changed its 'Suite' value from 'stable' to 'oldstable'\n",
  ],
  [
    'apt.release_expired',
    'E: Release file for http://deb.example.org/debian/dists/buster/InRelease is expired (invalid since 1d 2h 3min 4s). Updates for this repository will not be applied.\n',
  ],
  [
    'apt.mirror_failed',
    'E: Failed to fetch http://deb.example.org/debian/pool/main/g/gcc.deb  503  Service Unavailable [IP: 192.0.2.1 80]\n',
  ],
  [
    'conda.refused',
    'CondaHTTPError: HTTP 403 FORBIDDEN for url <https://mirror.example.org/anaconda/pkgs/main/linux-64/repodata.json>\n',
  ],
  [
    'conda.conflict',
    'UnsatisfiableError: The following specifications were found to be incompatible with each other:\n',
  ],
  [
    'conda.conflict',
    '  - package pytorch-2.1.0-cuda118 requires cuda-version 11.8.*, but none of the providers can be installed\n',
  ],
  ['pip.managed', 'error: externally-managed-environment\n\n× This environment is externally managed\n'],
  ['pip.python_version', "ERROR: Package 'torch' requires a different Python: 3.6.9 not in '>=3.8.0'\n"],
  [
    'pip.hash',
    'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.\n',
  ],
  ['pip.build_failed', '  ERROR: Failed building wheel for pillow\n'],
  [
    'pip.unreachable',
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.example.org', port=443): Read timed out.\n",
  ],
  ['python.no_module', "ModuleNotFoundError: No module named 'torchvision'\n"],
  ['cuda.no_device', 'RuntimeError: No CUDA GPUs are available\n'],
  [
    'cudnn.version',
    'RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 7, 0) but found runtime version (8, 4, 1).\n',
  ],
  ['cudnn.failed', 'RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n'],
  ['tensor.types', 'RuntimeError: expected scalar type Half but found Float\n'],
  ['tensor.shapes', 'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2048 and 512x10)\n'],
  [
    'memory.exhausted',
    "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 1073741824 bytes. Error code 12 (Cannot allocate memory)\n",
  ],
  ['process.killed', './train.sh: line 3: 12345 Killed                  python train.py\n'],
  ['process.killed', 'Killed\n'],
  ['process.bus_error', 'Bus error (core dumped)\n'],
  [
    'process.crashed',
    '[ 912.1] python3[4711]: segfault at 18 ip 00007f3a5c2b1f40 sp 00007ffd1 error 4 in libtorch_cpu.so[7f3a5a000000+a000000]\n',
  ],
  ['disk.errors', "cp: error reading '/data/x.tar': Input/output error\n"],
  ['file.denied', "mkdir: cannot create directory '/opt/ringlab': Permission denied\n"],
  ['ssh.too_many_keys', 'Received disconnect from 192.0.2.5 port 22:2: Too many authentication failures\n'],
  ['ssh.key_readable', '@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @\n'],
  ['ssh.key_format', 'Load key "/home/a/.ssh/id_rsa": invalid format\n'],
  [
    'ssh.no_common_algorithm',
    'Unable to negotiate with 192.0.2.5 port 22: no matching host key type found. Their offer: ssh-rsa\n',
  ],
  ['ssh.refused', 'ssh: connect to host 192.0.2.5 port 22: Connection refused\n'],
  ['ssh.timeout', 'ssh: connect to host 192.0.2.5 port 22: Connection timed out\n'],
  ['ssh.dropped', 'client_loop: send disconnect: Broken pipe\n'],
  [
    'ssh.local_port',
    'bind [127.0.0.1]:6006: Address already in use\nchannel_setup_fwd_listener_tcpip: cannot listen to port: 6006\n',
  ],
  [
    'network.portal',
    "E: Failed to fetch http://deb.example.org/debian/dists/bookworm/InRelease  Clearsigned file isn't valid, got 'NOSPLIT' (does the network require authentication?)\n",
  ],
  ['network.proxy', 'curl: (56) Received HTTP code 407 from proxy after CONNECT\n'],
  [
    'rank.store_lost',
    '[W socket.cpp] [c10d] recvValue failed on SocketImpl(fd=42): Connection reset by peer\n',
  ],
  [
    'gloo.timeout',
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete\n',
  ],
  [
    'nccl.versions',
    'n1:7:7 [0] NCCL WARN Mismatched NCCL version detected : rank 0 (21903) != rank 1 (21403)\n',
  ],
  [
    'nccl.cuda_error',
    "n1:12:40 [0] transport/p2p.cc:215 NCCL WARN Cuda failure 'peer access is not supported between these two devices'\n",
  ],
  [
    'ddp.unused_parameters',
    'RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.\n',
  ],
  [
    'elastic.rendezvous',
    'torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.\n',
  ],
  [
    'elastic.stopped',
    'torch.distributed.elastic.multiprocessing.api.SignalException: Process 2711 got signal: 1\n',
  ],
  [
    'rank.not_launched',
    'ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set\n',
  ],
  [
    'git.transfer',
    'error: RPC failed; curl 56 GnuTLS recv error (-9): Error decoding the received TLS packet.\n',
  ],
  ['file.missing', "FileNotFoundError: [Errno 2] No such file or directory: '/data/labels.csv'\n"],
  [
    'scheduler.time_limit',
    'slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***\n',
  ],
  ['scheduler.cancelled', 'slurmstepd: error: *** STEP 27.0 ON node1 CANCELLED AT 2026-11-25T16:01:12 ***\n'],
  [
    'build.cuda_mismatch',
    'RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.1). Please make sure to use the same CUDA versions.\n',
  ],
  ['container.lost_gpu', 'Failed to initialize NVML: Unknown Error\n'],
  [
    'apt.overwrite',
    "dpkg: error processing archive /var/cache/apt/archives/libnvidia-gl.deb (--unpack):\n trying to overwrite '/usr/lib/x86_64-linux-gnu/libGL.so', which is also in package nvidia-gl-470 470.1\n",
  ],
  [
    'apt.bad_source',
    'E: Conflicting values set for option Signed-By regarding source https://download.example.org/cuda/ /: /usr/share/keyrings/a.gpg != \n',
  ],
  [
    'python.import_name',
    "ImportError: cannot import name 'packaging' from 'pkg_resources' (/usr/lib/python3/dist-packages/pkg_resources/__init__.py)\n",
  ],
  ['network.refused', 'ConnectionRefusedError: [Errno 111] Connection refused\n'],
  ['network.timeout', 'wget: unable to connect: Connection timed out\n'],
  [
    'compile.no_triton',
    'RuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.',
  ],
  [
    'driver.gpu_needs_open',
    '[    8.102411] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\nNVRM: installed in this system requires use of the NVIDIA open kernel modules.',
  ],
  ['gpu.init_failed', '[   10.551203] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x55:2474)'],
  ['gpu.permission', 'Failed to initialize NVML: Insufficient Permissions'],
  ['gpu.nvlink', 'RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution'],
  [
    'container.not_permitted',
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix /var/run/docker.sock: connect: permission denied',
  ],
  [
    'container.no_daemon',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ],
  [
    'container.no_image',
    'Error response from daemon: manifest for nvidia/cuda:12.9-base not found: manifest unknown: manifest unknown',
  ],
  ['cuda.launch_timeout', 'RuntimeError: CUDA error: the launch timed out and was terminated'],
  [
    'cuda.precision',
    "ValueError: Your setup doesn't support bf16/gpu. You need torch>=1.10, using Ampere GPU with cuda>=11.0",
  ],
  ['tensor.index', 'IndexError: index out of range in self'],
  [
    'autograd.inplace',
    'RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [64]] is at version 4; expected version 3 instead.',
  ],
  [
    'autograd.no_gradient',
    'RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn',
  ],
  [
    'autograd.second_backward',
    'RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).',
  ],
  ['loss.not_finite', 'Loss is nan, stopping training'],
  [
    'checkpoint.optimizer',
    "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
  ],
  ['data.empty', 'ValueError: num_samples should be a positive integer value, but got num_samples=0'],
  ['compile.failed', "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:"],
  ['rank.local_rank_argument', 'train.py: error: unrecognized arguments: --local-rank=0'],
  ['nccl.not_built', "RuntimeError: Distributed package doesn't have NCCL built in"],
  ['nccl.cpu_tensor', 'RuntimeError: No backend type associated with device type cpu'],
  [
    'ddp.marked_twice',
    'RuntimeError: Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a module parameter outside the `forward` function.',
  ],
  [
    'ddp.other_model',
    'RuntimeError: DDP expects same model across all ranks, but Rank 0 has 62 params, while rank 1 has inconsistent 60 params.',
  ],
  ['system.process_limit', 'bash: fork: retry: Resource temporarily unavailable'],
  ['system.architecture', 'bash: ./uv: cannot execute binary file: Exec format error'],
  ['system.no_display', '_tkinter.TclError: no display name and no $DISPLAY environment variable'],
  [
    'script.terminal',
    "stty: 'standard input': Inappropriate ioctl for device\nValueError: not enough values to unpack (expected 2, got 0)",
  ],
  ['script.terminal', 'OSError: [Errno 25] Inappropriate ioctl for device'],
  ['script.question', 'EOFError: EOF when reading a line'],
  [
    'script.question',
    '  File "/usr/lib/python3.11/bdb.py", line 90, in trace_dispatch\n    return self.dispatch_line(frame)\n  File "/usr/lib/python3.11/bdb.py", line 115, in dispatch_line\n    if self.quitting: raise BdbQuit\nbdb.BdbQuit',
  ],
  [
    'script.question',
    '  File "/usr/lib/python3.11/getpass.py", line 91, in unix_getpass\n    passwd = fallback_getpass(prompt, stream)\n  File "/usr/lib/python3.11/getpass.py", line 126, in fallback_getpass\n    return _raw_input(prompt, stream)\n  File "/usr/lib/python3.11/getpass.py", line 148, in _raw_input\n    raise EOFError\nEOFError',
  ],
  [
    'data.workers',
    'RuntimeError: \n        An attempt has been made to start a new process before the\n        current process has finished its bootstrapping phase.\nRuntimeError: DataLoader worker (pid(s) 3021) exited unexpectedly with exit code 1\nRuntimeError: DataLoader worker (pid 3021) exited unexpectedly with exit code 1. Details are lost due to multiprocessing.',
  ],
  ['script.line_ends', "setup.sh: line 2: $'\\r': command not found"],
  [
    'script.interpreter',
    'bash: /home/alice/venv/bin/pip: /opt/venv/bin/python: bad interpreter: No such file or directory',
  ],
  [
    'build.compiler_new',
    '/usr/local/cuda/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 are not supported!',
  ],
  ['build.compiler_old', '#error "You need C++17 to compile PyTorch"'],
  [
    'build.no_compiler',
    'RuntimeError: Failed to find C compiler. Please specify via CC environment variable.',
  ],
  ['build.no_ninja', 'RuntimeError: Ninja is required to load C++ extensions'],
  [
    'apt.database',
    "E: The package nvidia-driver-535 needs to be reinstalled, but I can't find an archive for it.",
  ],
  [
    'apt.lists',
    'E: Encountered a section with no Package: header\nE: Problem with MergeList /var/lib/apt/lists/archive.example_dists_jammy_main_binary-amd64_Packages',
  ],
  ['apt.key_damaged', 'gpg: no valid OpenPGP data found.'],
  ['sudo.wrong_password', 'sudo: 3 incorrect password attempts'],
  [
    'sudo.no_new_privileges',
    'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.',
  ],
  [
    'conda.not_writable',
    'EnvironmentNotWritableError: The current user does not have write permissions to the target environment.',
  ],
  [
    'python.no_venv',
    'The virtual environment was not created successfully because ensurepip is not\navailable.  On Debian/Ubuntu systems, you need to install the python3-venv',
  ],
  ['python.torch_companions', 'RuntimeError: operator torchvision::nms does not exist'],
  ['python.not_found', 'error: No interpreter found for Python 3.13 in managed installations or search path'],
  [
    'pip.bad_requirement',
    "ERROR: Invalid requirement: 'numpy=1.26.4=py311h': Expected end or semicolon (after name and no valid version specifier)",
  ],
  ['python.removed_name', "AttributeError: module 'numpy' has no attribute 'bool'"],
  ['python.too_old', "TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'"],
  [
    'python.syntax',
    '    print "hello"\nSyntaxError: Missing parentheses in call to \'print\'. Did you mean print(...)?',
  ],
  [
    'python.encoding',
    "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe4 in position 10: ordinal not in range(128)",
  ],
  ['script.arguments', 'train.py: error: the following arguments are required: --data-path'],
  [
    'hub.gated',
    'OSError: You are trying to access a gated repo.\nMake sure to have access to it at https://huggingface.co/meta-llama/Llama-2-7b-hf.',
  ],
  [
    'hub.unreachable',
    "OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files",
  ],
  [
    'hub.no_model',
    "OSError: my-model is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
  ],
  [
    'wandb.login',
    'wandb.errors.errors.UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key])',
  ],
  ['ssh.config', 'Bad owner or permissions on /home/alice/.ssh/config'],
  ['ssh.noisy_shell', 'Received message too long 1416261737'],
  ['ssh.no_sftp', 'subsystem request failed on channel 0'],
  ['git.ownership', "fatal: detected dubious ownership in repository at '/srv/project'"],
  ['git.no_revision', 'fatal: Remote branch master not found in upstream origin'],
  ['git.folder_exists', "fatal: destination path 'examples' already exists and is not an empty directory."],
  [
    'git.lfs',
    "error: external filter 'git-lfs filter-process' failed\nfatal: model.bin: smudge filter lfs failed",
  ],
  [
    'network.rate_limited',
    'Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
  ],
  [
    'network.reset',
    'curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to download.example:443',
  ],
  [
    'scheduler.account',
    'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified',
  ],
  [
    'scheduler.partition',
    'sbatch: error: invalid partition specified: gpu_big\nsbatch: error: Batch job submission failed: Invalid partition name specified',
  ],
  [
    'scheduler.size',
    'sbatch: error: Memory specification can not be satisfied\nsbatch: error: Batch job submission failed: Requested node configuration is not available',
  ],
  ['scheduler.refused', 'sbatch: error: Batch job submission failed: Job dependency problem'],
  ['scheduler.unreachable', 'slurm_load_partitions: Unable to contact slurm controller (connect failure)'],
  [
    'scheduler.node_failed',
    'slurmstepd: error: *** JOB 812 ON node3 CANCELLED AT 2026-05-04T10:11:12 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***',
  ],
  [
    'kubernetes.unschedulable',
    '0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
  ],
  ['file.exists', "FileExistsError: [Errno 17] File exists: '/data/cache'"],
  ['script.bad_config', 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)'],
  ['apt.keyserver', 'gpg: keyserver receive failed: No data'],
  [
    'kubernetes.quota',
    'Error from server (Forbidden): pods "train-0" is forbidden: exceeded quota: gpu, requested: requests.nvidia.com/gpu=4, used: 2, limited: 4',
  ],
  [
    'kubernetes.forbidden',
    'Error from server (Forbidden): jobs.batch is forbidden: User "alice" cannot create resource "jobs" in API group "batch" in the namespace "default"',
  ],
  ['kubernetes.volume', 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32'],
  ['kubernetes.crash_loop', 'Back-off restarting failed container train in pod train-0'],
  ['pip.no_project', 'error: No `pyproject.toml` found in current directory or any parent directory'],
  [
    'pip.no_environment',
    'error: No virtual environment found; run `uv venv` to create an environment, or pass `--system` to install into a non-virtual environment',
  ],
  [
    'pip.lock_outdated',
    'error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided. To update the lockfile, run `uv lock`.',
  ],
  [
    'ssh.no_identity',
    'Warning: Identity file /home/alice/.ssh/gpu.pem not accessible: No such file or directory.',
  ],
  ['ssh.account', 'WARNING: Your password has expired.\nPassword change required but no TTY available.'],
  ['ssh.max_sessions', 'mux_client_request_session: session request failed: Session open refused by peer'],
  [
    'ssh.control_path',
    'unix_listener: path "/home/alice/.ssh/control-alice@gpu-node-17.example.org:22" too long for Unix domain socket',
  ],
  ['conda.exists', 'CondaValueError: prefix already exists: /opt/conda/envs/train'],
  ['conda.pip_failed', 'CondaEnvException: Pip failed'],
  [
    'scheduler.bad_script',
    'sbatch: error: This does not look like a batch script.  The first\nsbatch: error: line must start with #! followed by the path to an interpreter.',
  ],
  ['data.timeout', 'RuntimeError: DataLoader timed out after 5 seconds'],
  [
    'pip.cannot_uninstall',
    "ERROR: Cannot uninstall 'PyYAML'. It is a distutils installed project and thus we cannot accurately determine which files belong to it",
  ],
  [
    'scheduler.not_ending',
    'slurmstepd: error: *** STEP 812.0 STEPD TERMINATED ON node3 AT 2024-05-02T10:00:00 DUE TO JOB NOT ENDING WITH SIGNALS ***',
  ],
  [
    'ddp.devices',
    'ValueError: DistributedDataParallel device_ids and output_device arguments only work with single-device GPU modules, but got device_ids [0]',
  ],
  ['gloo.unsupported', 'RuntimeError: ProcessGroupGloo does not support reduce_scatter'],
];
