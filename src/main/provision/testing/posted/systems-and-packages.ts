/** For tests: of systems, packages and SSH; numbers, versions and addresses are changed. */
import type { Posted } from './posted.ts';

export const postedBySystemsAndPackages: readonly Posted[] = [
  [
    'apt.locked',
    'cilium/packer-ci-build#221',
    'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
  ],
  [
    'apt.unknown_key',
    'furlongm/patchman#826',
    "Err:4 https://repo.example.org/debian trixie InRelease\n  Sub-process /usr/bin/sqv returned an error code (1), error message is: Missing key 4B1D3F0C2E6A5978B0C1D2E3F4A5968778695A4B, which is needed to verify signature.\nError: The repository 'https://repo.example.org/debian trixie InRelease' is not signed.",
  ],
  [
    'apt.bad_signature',
    'KXStudio/KXStudio#17',
    'Sub-process /usr/bin/sqv returned an error code (1), error message is:\nSigning key on 91A0C3D5E7F9081B2C4D6E8FA0B1C2D3E4F50617 is not bound:\nPolicy rejected asymmetric algorithm because DSA1024 is not considered secure since 2014-02-01T00:00:00Z',
  ],
  [
    'apt.hash',
    'NVIDIA/cuda-repo-management#27',
    'E: Failed to fetch https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2404/x86_64/Packages.gz  File has unexpected size (912044 != 897310). Mirror sync in progress? [IP: 192.0.2.39 443]\nE: Some index files failed to download. They have been ignored, or old ones used instead.',
  ],
  [
    'apt.clock',
    'microsoft/WSL#4560',
    'Reading package lists... Done\nE: Release file for http://archive.ubuntu.com/ubuntu/dists/noble-updates/InRelease is not valid yet (invalid for another 2d 11h 4min 38s). Updates for this repository will not be applied.',
  ],
  [
    'apt.unmet',
    'pop-os/pop#3554',
    'The following packages have unmet dependencies:\n nvidia-driver-580 : PreDepends: nvidia-firmware-580 but it is not going to be installed\nE: Error, pkgProblemResolver::Resolve generated breaks, this may be caused by held packages.',
  ],
  [
    'apt.bad_source',
    'free-pmx/free-pmx-no-subscription#15',
    'Error: Conflicting values set for option Signed-By regarding source http://repo.example.org/debian/ trixie: /usr/share/keyrings/example-archive.gpg != /etc/apt/keyrings/example-trixie.gpg\nError: The list of sources could not be read.',
  ],
  [
    'apt.overwrite',
    'pop-os/shop#121',
    "Error while installing package: trying to overwrite '/lib/udev/rules.d/71-nvidia.rules', which is also in package nvidia-kernel-common-550 550.90.07-0ubuntu1",
  ],
  [
    'network.portal',
    'blikvm/blikvm#179',
    "Err:2 http://mirror.example.net/ubuntu noble InRelease\n  Clearsigned file isn't valid, got 'NOSPLIT' (does the network require authentication?)\nE: The repository 'http://mirror.example.net/ubuntu noble InRelease' is no longer signed.",
  ],
  [
    'sudo.password',
    'mscdex/ssh2#32',
    'sudo: no tty present and no askpass program specified\nSorry, try again.\nsudo: 3 incorrect password attempts',
  ],
  [
    'sudo.no_new_privileges',
    'container2wasm/container2wasm#239',
    'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.\nsudo: If sudo is running in a container, you may need to adjust the container configuration to disable the flag.',
  ],
  [
    'pip.not_found',
    'jaredpalmer/kev#34',
    "Resolved 87 packages in 21ms\nerror: Distribution `torch==2.7.1 @ registry+https://mirror.example/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform\nhint: You're using CPython 3.14 (`cp314`), but `torch` (v2.7.1) only has wheels with the following Python ABI tags: `cp310`, `cp311`, `cp312`, `cp313`",
  ],
  [
    'pip.not_found',
    'astral-sh/uv#14268',
    "error: Distribution `torchvision==0.22.1 @ registry+https://mirror.example/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform\nhint: You're on Linux (`manylinux_2_17_x86_64`), but `torchvision` (v0.22.1) only has wheels for the following platforms: `manylinux_2_28_aarch64`, `manylinux_2_28_x86_64`, `win_amd64`",
  ],
  [
    'pip.conflict',
    'NIRVANALAN/GaussianAnything#9',
    'The conflict is caused by:\n    The user requested torch==2.4.0\n    torchvision 0.19.0 depends on torch==2.4.0\n    xformers 0.0.29.post1 depends on torch==2.5.1',
  ],
  [
    'network.certificate',
    'astral-sh/uv#16233',
    'error: Request failed after 3 retries\n  Caused by: Failed to download https://files.example.org/cpython-3.12.11-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz\n  Caused by: client error (Connect)\n  Caused by: invalid peer certificate: UnknownIssuer',
  ],
  [
    'conda.conflict',
    'torchmd/torchmd-net#249',
    'Could not solve for environment specs\nThe following packages are incompatible\n├─ cuda-version 12.6**  is installable and it requires\n│  └─ cudatoolkit 12.6|12.6.* , which can be installed;',
  ],
  [
    'conda.checksum',
    'ContinuumIO/anaconda-issues#12279',
    "ChecksumMismatchError: Conda detected a mismatch between the expected content and downloaded content\nfor url 'http://mirror.example.net/conda-main/linux-64/zlib-1.2.13-h5eee18b_1.conda'.\n  expected sha256: 0d1f3a5b7c9e2f4061728394a5b6c7d8e9fa0b1c2d3e4f5061728394a5b6c7d8\n  actual sha256: 7e6d5c4b3a2918071625344352617089f0e1d2c3b4a5968778695a4b3c2d1e0f",
  ],
  [
    'pip.build_failed',
    'GeeeekExplorer/nano-vllm#96',
    "  × Failed to build `flash-attn==2.8.0`\n  ├─▶ The build backend returned an error\n  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit status: 1)\n      ModuleNotFoundError: No module named 'torch'",
  ],
  [
    'build.compiler_new',
    'ninja-build/ninja#2595',
    "/usr/local/cuda-12.4/targets/x86_64-linux/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 13 are not supported! The nvcc flag '-allow-unsupported-compiler' can be used to override this version check; however, using an unsupported host compiler may cause compilation failure or incorrect run time execution. Use at your own risk.",
  ],
  [
    'cuda.architecture',
    'Ruyi-Zha/naf_cbct#15',
    "nvcc fatal   : Unsupported gpu architecture 'compute_120'\nninja: build stopped: subcommand failed.",
  ],
  [
    'build.python_headers',
    'sgl-project/sglang#1117',
    '/tmp/tmp4q8zr1wd/main.c:5:10: fatal error: Python.h: No such file or directory\n    5 | #include <Python.h>\n      |          ^~~~~~~~~~\ncompilation terminated.',
  ],
  [
    'library.glibc_old',
    'microsoft/vscode-remote-release#9522',
    'Missing GLIBC >= 2.28!\nFound version ldd (GNU libc) 2.23',
  ],
  [
    'library.libstdcxx_old',
    'CompuCell3D/CompuCell3D#830',
    "/home/alice/miniforge3/envs/sim/lib/python3.12/site-packages/sim/_core.so: /usr/lib/x86_64-linux-gnu/libstdc++.so.6: version `CXXABI_1.3.15' not found (required by /home/alice/miniforge3/envs/sim/lib/libsolver.so)",
  ],
  [
    'library.cuda_missing',
    'pytorch/pytorch#144433',
    '  File "/home/alice/venv/lib/python3.11/site-packages/torch/__init__.py", line 379, in <module>\n    from torch._C import *  # noqa: F403\nImportError: libcusparseLt.so.0: cannot open shared object file: No such file or directory',
  ],
  [
    'library.symbol',
    'Dao-AILab/flash-attention#1832',
    'ImportError: /home/alice/venv/lib/python3.12/site-packages/flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda14ExchangeDeviceEa',
  ],
  [
    'ssh.no_common_algorithm',
    'samuelthomas2774/airport#10',
    'Unable to negotiate with 192.0.2.14 port 22: no matching host key type found. Their offer: ssh-rsa,ssh-dss',
  ],
  [
    'ssh.throttled',
    'NixOS/infra#352',
    'debug1: kex_exchange_identification: banner line 0: Exceeded MaxStartups\nkex_exchange_identification: read: Connection reset by peer\nConnection reset by 192.0.2.77 port 22',
  ],
  [
    'ssh.key_format',
    'LuisEnMarroquin/setup-ssh-action#4',
    'Load key "/home/alice/.ssh/node1": error in libcrypto\nalice@node1: Permission denied (publickey).',
  ],
  [
    'ssh.dropped',
    'RsyncProject/rsync#449',
    'packet_write_wait: Connection to 192.0.2.18 port 2222: Broken pipe\nrsync: [sender] write error: Broken pipe (32)\nrsync error: unexplained error (code 255) at io.c(848) [sender=3.2.7]',
  ],
  [
    'ssh.forwarding',
    'microsoft/vscode-remote-release#398',
    'channel 3: open failed: administratively prohibited: open failed\nchannel 5: open failed: administratively prohibited: open failed',
  ],
  [
    'git.transfer',
    'iterativv/NostalgiaForInfinity#455',
    'error: RPC failed; curl 92 HTTP/2 stream 7 was not closed cleanly: CANCEL (err 8)\nerror: 3310 bytes of body are still expected\nfetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF',
  ],
  [
    'git.password',
    'olipo186/Git-Auto-Deploy#129',
    "fatal: could not read Username for 'https://gitlab.example.org': No such device or address",
  ],
  [
    'git.lfs',
    'ZGC-LLM-Safety/TrafficLLM#31',
    "Error downloading object: model.safetensors (5c0e1b2): Smudge error: Error downloading model.safetensors: batch response: This repository is over its data quota. Account responsible for LFS bandwidth should purchase more data packs to restore access.\nerror: external filter 'git-lfs filter-process' failed\nfatal: model.safetensors: smudge filter lfs failed",
  ],
  [
    'git.ownership',
    'openeverest/everest-doc#362',
    "fatal: detected dubious ownership in repository at '/workspace/train'\nTo add an exception for this directory, call:\n\tgit config --global --add safe.directory /workspace/train",
  ],
  [
    'scheduler.cancelled',
    'facebookincubator/submitit#1708',
    'slurmstepd: error: *** JOB 7731 ON node1 CANCELLED AT 2025-03-09T14:41:55 DUE TO JOB REQUEUE ***\nslurmstepd: error: *** STEP 7731.0 ON node1 CANCELLED AT 2025-03-09T14:41:55 DUE TO JOB REQUEUE ***\nsrun: error: node1: tasks 0-1: Exited with exit code 1',
  ],
  [
    'memory.killed',
    'chrisknewman/tusas#149',
    'slurmstepd: error: Detected 1 oom_kill event in StepId=902214.0. Some of the step tasks have been OOM Killed.\nsrun: error: node1: tasks 0-2: Out Of Memory\nsrun: Terminating StepId=902214.0',
  ],
  [
    'scheduler.account',
    'TUM-DAML/seml#42',
    'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified',
  ],
  [
    'scheduler.size',
    'mehta-lab/recOrder#482',
    'srun: error: Unable to create step for job 5520917: Invalid generic resource (gres) specification',
  ],
  [
    'disk.quota',
    'BSC-ES/autosubmit#596',
    "    return self._accessor.open(self, flags, mode)\nOSError: [Errno 122] Disk quota exceeded: '/home/alice/.cache/matplotlib/fontlist-v390.json.matplotlib-lock'",
  ],
  [
    'disk.errors',
    'hiyouga/LlamaFactory#3243',
    "OSError: [Errno 116] Stale file handle: '/mnt/nfs/run7/checkpoint-1200'",
  ],
  [
    'archive.damaged',
    '48Club/bsc-snapshots#108',
    '/*stdin*\\ : Decoding error (36) : Corrupted block detected\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now',
  ],
  [
    'clock.certificate',
    'twpayne/chezmoi#3453',
    'curl: (60) SSL certificate problem: certificate is not yet valid\nMore details here: https://curl.se/docs/sslcerts.html',
  ],
  [
    'network.proxy',
    'mozilla/bugbot#2002',
    "(Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden')))",
  ],
  [
    'network.no_route',
    'rembo10/headphones#2823',
    "Cloning into 'train'...\nfatal: unable to access 'https://git.example.org/alice/train.git/': Failed to connect to git.example.org port 443: No route to host",
  ],
  [
    'download.checksum',
    'torchgeo/torchgeo#3929',
    'RuntimeError: invalid hash value (expected "1c9f04ae", got "e07a55d1b3c2946f8812ad0374be6f5019c8d7e2a4b3069f17c5d8e2360b9a41")',
  ],
  [
    'system.too_many_files',
    'kuleshov-group/caduceus#58',
    '  File "/home/alice/miniforge3/envs/dna/lib/python3.10/multiprocessing/popen_fork.py", line 64, in _launch\n    parent_r, child_w = os.pipe()\nOSError: [Errno 24] Too many open files',
  ],
  [
    'system.illegal_instruction',
    'numpy/numpy#32457',
    'Program received signal SIGILL, Illegal instruction.\n0x00007ffff5a1c2e4 in ?? () from /home/alice/venv/lib/python3.12/site-packages/numpy/_core/_multiarray_umath.cpython-312-x86_64-linux-gnu.so',
  ],
  [
    'file.denied',
    'huggingface/huggingface_hub#3714',
    "PermissionError: [Errno 13] Permission denied: '/shared/hf/hub/.locks/models--example--tiny-1b/9f02c1d4.lock'",
  ],
  [
    'disk.read_only',
    'sonic-net/sonic-buildimage#23146',
    'kernel: [ 2210.118842] Aborting journal on device nvme0n1p2-8.\nkernel: [ 2210.131907] EXT4-fs (nvme0n1p2): Remounting filesystem read-only',
  ],
  [
    'build.cmake_new',
    'Henry-23/VideoChat#53',
    'CMake Error at CMakeLists.txt:2 (cmake_minimum_required):\n  Compatibility with CMake < 3.5 has been removed from CMake.\n  Update the VERSION argument <min> value.  Or, use the <min>...<max> syntax\n-- Configuring incomplete, errors occurred!',
  ],
  [
    'apt.bad_signature',
    'ltb-project/self-service-password#1083',
    "Err:4 https://repo.example.org/debian/stable stable InRelease\n  Sub-process /usr/bin/sqv returned an error code (1), error message is: Signing key on 7A11C0D992EBA3975D2BEB95A70AC51F926D0C44 is not bound:            Policy rejected asymmetric algorithm   because: DSA1024 is not considered secure since 2014-02-01T00:00:00Z\nError: The repository 'https://repo.example.org/debian/stable stable InRelease' is not signed.",
  ],
  [
    'apt.dpkg_failed',
    'meefik/linuxdeploy#215',
    'dpkg: error processing openssh-server (--configure):\n subprocess installed post-installation script returned error exit status 1\nErrors were encountered while processing:\n openssh-server',
  ],
  [
    'apt.not_there',
    'metasfresh/metasfresh-docker#27',
    'Err:31 http://archive.ubuntu.com/ubuntu jammy-updates/main amd64 postgresql-client-14 amd64 14.7-0ubuntu0.22.04 404  Not Found [IP: 192.0.2.149 80]\nE: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/main/p/postgresql-14/libpq5_14.7-0ubuntu0.22.04_amd64.deb  404  Not Found [IP: 192.0.2.149 80]',
  ],
  [
    'sudo.no_new_privileges',
    'Eugeny/tabby#960',
    "sudo: effective uid is not 0, is /usr/bin/sudo on a file system with the 'nosuid' option set or an NFS file system without root privileges?",
  ],
  [
    'pip.managed',
    'astral-sh/uv#12204',
    'error: The interpreter at /opt/uv/python/cpython-3.12.9-linux-x86_64-gnu is externally managed, and indicates the following:\nThis Python installation is managed by uv and should not be modified.',
  ],
  [
    'pip.hash',
    'astral-sh/uv#16784',
    '  × Failed to download `nvidia-nvtx-cu12==12.8.90`\n  ╰─▶ Hash mismatch for `nvidia-nvtx-cu12==12.8.90`',
  ],
  [
    'pip.unreachable',
    'ramjke/Translumo#211',
    '    raise ReadTimeoutError(self._pool, None, "Read timed out.")\npip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host=\'download-r2.pytorch.org\', port=443): Read timed out.',
  ],
  [
    'python.import_name',
    'OpenHelix-Team/cobra#30',
    "RuntimeError: Failed to import transformers.modeling_utils because of the following error (look up to see its traceback):\nFailed to import transformers.generation.utils because of the following error (look up to see its traceback):\ncannot import name 'split_torch_state_dict_into_shards' from 'huggingface_hub' (/home/alice/miniconda3/envs/vla/lib/python3.11/site-packages/huggingface_hub/__init__.py)",
  ],
  [
    'python.wrong_version',
    'archlinuxcn/repo#4836',
    "ImportError: tokenizers>=0.22.0,<=0.23.0 is required for a normal functioning of this module, but found tokenizers==0.24.0.\nTry: `pip install transformers -U` or `pip install -e '.[dev]'` if you're working with git main",
  ],
  [
    'conda.terms',
    'mkandes/galyleo#49',
    'CondaToSNonInteractiveError: Terms of Service have not been accepted for the following channels. Please accept or remove them before proceeding:\n    • https://repo.anaconda.com/pkgs/main\n    • https://repo.anaconda.com/pkgs/r',
  ],
  [
    'network.name',
    'mamba-org/mamba#980',
    "    RuntimeError: Download error (6) Couldn't resolve host name [https://conda.anaconda.org/conda-forge/linux-64/anyio-4.6.2-py311h38be061_0.conda]",
  ],
  [
    'conda.unreachable',
    'mamba-org/mamba#3978',
    'warning  libmamba Download error (7) Could not connect to server [https://conda.anaconda.org/conda-forge/linux-64/repodata.json.zst]\n    Failed to connect to conda.anaconda.org port 443 after 97 ms: Could not connect to server\nwarning  libmamba Retrying in 2 seconds',
  ],
  [
    'conda.not_found',
    'mamba-org/mamba#3699',
    'error    libmamba Could not solve for environment specs\n    The following package could not be installed\n    └─ pytorch =2.4.1 ^py3.11_cuda12.1*$ does not exist (perhaps a typo or a missing channel).',
  ],
  [
    'build.cuda_mismatch',
    'Dao-AILab/flash-attention#1759',
    'RuntimeError:\nThe detected CUDA version (13.0) mismatches the version that was used to compile\nPyTorch (12.8). Please make sure to use the same CUDA versions.',
  ],
  [
    'build.killed',
    'DarkflameUniverse/DarkflameServer#715',
    'cc: fatal error: Killed signal terminated program cc1\ncompilation terminated.\nmake[2]: *** [thirdparty/CMakeFiles/sqlite3.dir/build.make:81: thirdparty/CMakeFiles/sqlite3.dir/SQLite/sqlite3.c.o] Error 1',
  ],
  [
    'build.no_ninja',
    'unlimblue/KNN_CUDA#14',
    '  File "/home/alice/miniconda3/envs/pt/lib/python3.10/site-packages/torch/utils/cpp_extension.py", line 1816, in verify_ninja_availability\n    raise RuntimeError("Ninja is required to load C++ extensions")\nRuntimeError: Ninja is required to load C++ extensions',
  ],
  [
    'build.no_torch',
    'torch/cutorch#844',
    ' Could not find a package configuration file provided by "Torch" with any of\n  the following names:\n    TorchConfig.cmake\n    torch-config.cmake',
  ],
  [
    'ssh.denied',
    'shimataro/ssh-key-action#85',
    'alice@node1: Permission denied (publickey,gssapi-keyex,gssapi-with-mic).',
  ],
  [
    'ssh.not_ssh',
    'v2fly/v2ray-core#1628',
    'debug1: kex_exchange_identification: banner line 0: host\\004@SSH-2.0-babeld-91c3a7be\nkex_exchange_identification: banner line contains invalid characters',
  ],
  [
    'ssh.key_readable',
    'felixse/FluentTerminal#971',
    'Permissions for \'\\\\\\\\wsl$\\\\Debian\\\\home\\\\alice\\\\.ssh\\\\id_rsa\' are too open.\nIt is required that your private key files are NOT accessible by others.\nThis private key will be ignored.\nLoad key "\\\\\\\\wsl$\\\\Debian\\\\home\\\\alice\\\\.ssh\\\\id_rsa": bad permissions',
  ],
  [
    'ssh.host_key_changed',
    'marin-community/levanter#316',
    'Offending ECDSA key in /home/alice/.ssh/google_compute_known_hosts:17\n  remove with:\n  ssh-keygen -f "/home/alice/.ssh/google_compute_known_hosts" -R "tpu.4471-3-8kkwzq"\nPassword authentication is disabled to avoid man-in-the-middle attacks.',
  ],
  [
    'ssh.host_key_unknown',
    'E3SM-Project/scream#2017',
    "stdout: Cloning into 'external/models/fates'...\n\nstderr: No ECDSA host key is known for github.com and you have requested strict checking.\nHost key verification failed.",
  ],
  [
    'git.local_changes',
    'AUTOMATIC1111/stable-diffusion-webui#4499',
    'error: Your local changes to the following files would be overwritten by merge:\n        requirements.txt\n        train_config.py\nPlease commit your changes or stash them before you merge.',
  ],
  [
    'git.locked',
    'carloscuesta/gitmoji-cli#117',
    "fatal: Unable to create '/home/alice/src/trainer/.git/index.lock': File exists.\n\nAnother git process seems to be running in this repository, e.g.\nan editor opened by 'git commit'. Please make sure all processes",
  ],
  [
    'disk.full',
    'cloud-ark/kubeplus#1382',
    'Status:       Failed\nReason:       Evicted\nMessage:      The node was low on resource: ephemeral-storage. Threshold quantity: 3146223340, available: 1771292Ki. Container trainer was using 52676Ki, request is 10Mi, has larger consumption of ephemeral-storage. ',
  ],
  [
    'kubernetes.unschedulable',
    'NVIDIA/k8s-device-plugin#119',
    ' Warning FailedScheduling  55s (x3 over 55s)  default-scheduler  0/4 nodes are available: 3 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable.',
  ],
  [
    'network.rate_limited',
    'arquillian/arquillian-cube#1423',
    'Failed\t\tError: ImagePullBackOff\nFailed\t\tFailed to pull image "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime": rpc error: code = Unknown desc = reading manifest 2.8.0-cuda12.8-cudnn9-runtime in docker.io/pytorch/pytorch: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
  ],
  [
    'scheduler.refused',
    'NVIDIA/exemplar-performance#5',
    'sbatch: error: Cannot find GPU specification, you may not submit a job not requesting GPUs in a GPU partition, partition: gpu-h100\nsbatch: error: Batch job submission failed: Unspecified error',
  ],
  [
    'scheduler.unreachable',
    'ArjunaCluster/ArjunaUsers#100',
    'srun: error: Unable to confirm allocation for job 71204: Unable to contact slurm controller (connect failure)\nsrun: Check SLURM_JOB_ID environment variable. Expired or invalid job 71204',
  ],
  [
    'system.process_limit',
    'vladmandic/sdnext#2642',
    'OpenBLAS blas_thread_init: pthread_create failed for thread 5 of 32: Resource temporarily unavailable\nOpenBLAS blas_thread_init: RLIMIT_NPROC -1 current, -1 max',
  ],
  [
    'wandb.login',
    'OptimalScale/LMFlow#65',
    'wandb: ERROR api_key not configured (no-tty). call wandb.login(key=[your_api_key])\nTraceback (most recent call last):',
  ],
  [
    'hub.gated',
    'ostris/ai-toolkit#676',
    '401 Client Error. (Request ID: Root=1-6a01c2b7-55d0417397707a7717793a11;c9136945-d95f-46af-8257-dc0e1abf1c07) Cannot access gated repo for url https://huggingface.co/black-forest-labs/FLUX.2-klein-base-4B/resolve/main/flux-2-klein-base-4b.safetensors. Access to model black-forest-labs/FLUX.2-klein-base-4B is restricted. You must have access to it and be authenticated to access it. Please log in.',
  ],
  [
    'network.rate_limited',
    'NVIDIA/Isaac-GR00T#434',
    '    raise HTTPError(http_error_msg, response=self)\nrequests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/datasets/nvidia/PhysicalAI-Robotics-GR00T-X-Embodiment-Sim/xet-read-token/81c507d882aed789cd2b1cf60684d0aecd8a59ff',
  ],
  [
    'hub.unreachable',
    'instructlab/community#426',
    "OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files and it looks like instructlab/granite-8b-lab is not the path to a directory containing a file named config.json.\nCheckout your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'.",
  ],
  [
    'python.removed_name',
    'huggingface/trl#6168',
    "    super().__init__(\nTypeError: Trainer.__init__() got an unexpected keyword argument 'tokenizer'",
  ],
  [
    'rank.local_rank_argument',
    'skycrapers/TecoGAN-PyTorch#31',
    'main.py: error: unrecognized arguments: --local-rank=2\nmain.py: error: unrecognized arguments: --local-rank=3',
  ],
  [
    'python.encoding',
    'alexjc/neural-enhance#199',
    "  File \"enhance.py\", line 512, in train\n    print('\\u2191' if l > average else '\\u2193', end='', flush=True)\nUnicodeEncodeError: 'ascii' codec can't encode character '\\u2193' in position 0: ordinal not in range(128)",
  ],
  [
    'python.syntax',
    'AbanteAI/archive-old-cli-mentat#10',
    '  File "/home/alice/src/mentat/mentat/app.py", line 121\n    match user_response.lower():\n          ^\nSyntaxError: invalid syntax',
  ],
  [
    'hub.dataset_script',
    'ed-donner/llm_engineering#652',
    'RuntimeError: Dataset scripts are no longer supported, but found Amazon-Reviews-2024.py',
  ],
  [
    'network.reset',
    'fchollet/deep-learning-models#38',
    '    return self._sslobj.read(len, buffer)\nsocket.error: [Errno 104] Connection reset by peer',
  ],
  [
    'library.cuda_missing',
    'pytorch/pytorch#4494',
    '  File "/usr/local/lib/python2.7/dist-packages/torch/__init__.py", line 58, in <module>\n    from torch._C import *\nImportError: libcudnn-b4c861f2.so.7.0.5: cannot open shared object file: No such file or directory',
  ],
  [
    'checkpoint.weights_only',
    'huggingface/deep-rl-class#626',
    "_pickle.UnpicklingError: Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got <class 'numpy.dtypes.Float32DType'>",
  ],
  [
    'git.transfer',
    'byteball/obyte-gui-wallet#21',
    "Cloning into 'trainer'...\nerror: RPC failed; result=56, HTTP code = 0\nfatal: The remote end hung up unexpectedly",
  ],
  [
    'hub.unreachable',
    'instructlab/instructlab#433',
    'Downloading model failed with the following Hugging Face Hub error: An error happened while trying to locate the file on the Hub and we cannot find the requested files in the local cache. Please check your connection and try again or make sure your Internet connection is on.',
  ],
  [
    'file.bad_name',
    'chico2121/SARA_Dataset#2',
    'tar: SARA_released/test/CharD/Sport118/41/Intensity_1|Reach_-0.5: Cannot mkdir: Invalid argument\nSARA_released/test/CharD/Sport118/41/Intensity_1|Reach_-0.5/motion.npy\ntar: SARA_released/test/CharD/Sport118/41/Intensity_1|Reach_-0.5/motion.npy: Cannot open: No such file or directory\ntar: Exiting with failure status due to previous errors',
  ],
  ['python.torch_companions', 'pytorch/vision#1405', 'RuntimeError: No such operator torchvision::nms'],
  [
    'compile.kernel_build',
    'woct0rdho/triton-windows#67',
    "CalledProcessError: Command '['/usr/bin/gcc', '/tmp/tmpk2c9u1ot/main.c', '-O3', '-shared', '-I/home/alice/envs/mamba/lib/python3.10/site-packages/triton/common/../third_party/cuda/include', '-I/home/alice/envs/mamba/include/python3.10', '-I/tmp/tmpk2c9u1ot', '-L/usr/local/cuda-12.4/lib64', '-lcuda', '-o', '/tmp/tmpk2c9u1ot/cuda_utils.cpython-310-x86_64-linux-gnu.so']' returned non-zero exit status 1.",
  ],
  [
    'cudnn.failed',
    'dhlab-epfl/dhSegment#22',
    'InternalError (see above for traceback): cuDNN launch failure : input shape([1,3,1021,512]) filter shape([7,7,3,64])',
  ],
];
