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
    "Resolved 87 packages in 21ms\nerror: Distribution `torch==2.7.1 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform\nhint: You're using CPython 3.14 (`cp314`), but `torch` (v2.7.1) only has wheels with the following Python ABI tags: `cp310`, `cp311`, `cp312`, `cp313`",
  ],
  [
    'pip.not_found',
    'astral-sh/uv#14268',
    "error: Distribution `torchvision==0.22.1 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform\nhint: You're on Linux (`manylinux_2_17_x86_64`), but `torchvision` (v0.22.1) only has wheels for the following platforms: `manylinux_2_28_aarch64`, `manylinux_2_28_x86_64`, `win_amd64`",
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
    'scheduler.refused',
    'TUM-DAML/seml#42',
    'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified',
  ],
  [
    'scheduler.refused',
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
];
