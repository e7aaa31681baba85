/** For tests: held out once, and then used for rules. Where an excerpt ended within a line, its end is as the program writes it. */
import type { Posted } from './posted.ts';

export const postedByIssueAgain: readonly Posted[] = [
  ['memory.killed', 'equinor/ert#7797', 'Out of memory: Killed process 1440763 (perl) total-vm:87033376kB'],
  [
    'memory.killed',
    'systemd/systemd#6966',
    'kernel: Killed process 7748 (python) total-vm:12907828kB, anon-rss:11500204kB, file-rss:0kB',
  ],
  [
    'memory.killed',
    '0jc1/py-autovod#7',
    'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom',
  ],
  [
    'memory.killed',
    'RTXteam/RTX#1680',
    'python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0',
  ],
  [
    'gloo.timeout',
    'PaddlePaddle/PaddleOCR#13435',
    "terminate called after throwing an instance of 'gloo::TimeoutException'\n  what():  [/gloo/transport/tcp/pair.cc:587] TIMEOUT self_rank = 0 pair_rank = 1 peer_str = [192.0.2.105]:36265",
  ],
  [
    'tensor.devices',
    'ServiceNow/N-BEATS#18',
    'RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!',
  ],
  [
    'pip.conflict',
    'VisoMasterFusion/VisoMaster-Fusion#261',
    '  ╰─▶ Because torch==2.11.0+cu130 depends on cuda-toolkit[cublas]==13.0.2 and you require cuda-toolkit==12.8.0, we can conclude that\n      torch==2.11.0+cu130 cannot be used.\n      And because you require torch==2.11.0+cu130, we can conclude that your requirements are unsatisfiable.',
  ],
  [
    'pip.not_found',
    'astral-sh/uv#1497',
    '  ╰─▶ Because there is no version of torch==2.1.0+cpu and you require torch==2.1.0+cpu, we can conclude that the requirements are unsatisfiable.',
  ],
  [
    'pip.not_found',
    'ByteDance-Seed/Bagel#48',
    "  ╰─▶ Because there is no version of torch==2.7.0+cu126 and your project depends on\n      torch==2.7.0+cu126, we can conclude that your project's requirements are unsatisfiable.",
  ],
  [
    'pip.not_found',
    'ByteDance-Seed/Bagel#48',
    "  ╰─▶ Because ninja was not found in the package registry and your project depends on ninja>=1.11.1.4,\n      we can conclude that your project's requirements are unsatisfiable.",
  ],
  [
    'pip.conflict',
    'astral-sh/uv#2328',
    '  ╰─▶ Because torchaudio==0.13.1 depends on torch==1.13.1 and you require torch==2.0.0, we can conclude that they are incompatible.\n      And because you require torchaudio==0.13.1, we can conclude that the\n      requirements are unsatisfiable.',
  ],
  [
    'pip.python_version',
    'meta-pytorch/torchtune#2912',
    "  ╰─▶ Because the requested Python version (>=3.9) does not satisfy Python>=3.10 and torchao==0.13.0 depends on Python>=3.10, we can conclude that your project's requirements are unsatisfiable.",
  ],
  [
    'build.no_torch',
    'astral-sh/uv#15098',
    "      Building cuda extension requires PyTorch (>=1.13.0) being installed, please install PyTorch first: No\n      module named 'torch'",
  ],
  [
    'driver.dkms_failed',
    'graysky2/modprobed-db#21',
    '(bad exit status: 2)\nError! Bad return status for module build on kernel: 6.6.3-2-ck-atom-modprobed (x86_64)\nConsult /var/lib/dkms/nvidia/340.108/build/make.log for more information.',
  ],
  [
    'driver.dkms_failed',
    'Bumblebee-Project/Bumblebee#811',
    'Building initial module for 4.8.2-towo.1-siduction-amd64\nError! Bad return status for module build on kernel: 4.8.2-towo.1-siduction-amd64 (x86_64)',
  ],
  [
    'driver.dkms_failed',
    'xanmod/linux#46',
    '==> dkms install bbswitch/0.8 -k 5.6.2-xanmod1-1-xanmod\nError! Bad return status for module build on kernel: 5.6.2-xanmod1-1-xanmod (x86_64)',
  ],
  [
    'driver.dkms_failed',
    'void-linux/void-packages#61087',
    "Building DKMS module 'nvidia-580.142' for kernel-7.1.0_1... FAILED!",
  ],
  [
    'driver.dkms_failed',
    'void-linux/void-packages#54925',
    'Building DKMS module: nvidia-570.133.07... FAILED!',
  ],
  [
    'driver.dkms_failed',
    'Frogging-Family/nvidia-all#44',
    'nv-caps.c:598:5: error: implicit declaration of function ‘sys_close’',
  ],
  [
    'conda.unreachable',
    'conda/conda#9948',
    'CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://repo.anaconda.com/pkgs/main/linux-64/current_repodata.json>',
  ],
  [
    'network.name',
    'conda/conda#7172',
    "ConnectionError(MaxRetryError(\"HTTPSConnectionPool(host='repo.continuum.io', port=443): Max retries exceeded with url: /pkgs/free/noarch/repodata.json.bz2 (Caused by NewConnectionError('<urllib3.connection.VerifiedHTTPSConnection object at 0x7f4e77c5da20>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution',))\",),)",
  ],
  [
    'network.name',
    'conda/conda#6868',
    "ConnectionError(MaxRetryError(\"HTTPSConnectionPool(host='repo.continuum.io', port=443): Max retries exceeded with url: /pkgs/main/win-64/repodata.json.bz2 (Caused by NewConnectionError('<urllib3.connection.VerifiedHTTPSConnection object at 0x0000000005200E48>: Failed to establish a new connection: [Errno 11004] getaddrinfo failed',))\",),)",
  ],
  [
    'pip.unreachable',
    'conda/conda#9837',
    "ConnectTimeout(MaxRetryError(\"HTTPSConnectionPool(host='conda.anaconda.org', port=443): Max retries exceeded with url: /anaconda/noarch/repodata.json (Caused by ConnectTimeoutError(<urllib3.connection.VerifiedHTTPSConnection object at 0x000001CD1FB0E7F0>, 'Connection to conda.anaconda.org timed out. (connect timeout=9.15)'))\",),)",
  ],
  [
    'network.refused',
    'platformio/platformio-atom-ide#1155',
    "(Caused by NewConnectionError('<requests.packages.urllib3.connection.VerifiedHTTPSConnection object at 0x10aa60cf8>: Failed to establish a new connection: [Errno 61] Connection refused',))",
  ],
  [
    'cuda.architecture',
    'pytorch/pytorch#49161',
    'RuntimeError: CUDA error: no kernel image is available for execution on the driver',
  ],
  [
    'cuda.architecture',
    'kohjingyu/gill#39',
    'RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported at some other API call,so the stacktrace below might be incorrect.',
  ],
  [
    'cuda.architecture',
    'OpenBMB/cpm_kernels#6',
    'CUDA Error: no kernel image is available for execution on the device',
  ],
  [
    'cuda.architecture',
    'CVCUDA/CV-CUDA#31',
    "Line 679: '' failed: no kernel image is available for execution on the device\nAborted (core dumped)",
  ],
  [
    'cuda.driver_too_old',
    'nagadomi/nunif#702',
    'RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version',
  ],
  [
    'cuda.driver_too_old',
    'mcleonard/pytorch-charRNN#1',
    'RuntimeError: cuda runtime error (35) : CUDA driver version is insufficient for CUDA runtime version at /opt/conda/conda-bld/pytorch_1525909934016/work/aten/src/THC/THCGeneral.cpp:70',
  ],
  ['cuda.driver_too_old', 'NVIDIA/DIGITS#252', 'cudaRuntimeGetVersion() failed with error #35'],
  [
    'cuda.driver_too_old',
    'NVIDIA/nvidia-docker#498',
    'CUDA error at bandwidthTest.cu:255 code=35(cudaErrorInsufficientDriver) "cudaSetDevice(currentDevice)"',
  ],
  [
    'cuda.driver_too_old',
    'C0untFloyd/roop-unleashed#465',
    'CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=0 ; hostname=node-a ; expr=cudaSetDevice(info_.device_id);',
  ],
  [
    'cuda.driver_too_old',
    'ChenYingpeng/caffe-yolov3#70',
    'Check failed: error == cudaSuccess (35 vs. 0)  CUDA driver version is insufficient for CUDA runtime version',
  ],
  [
    'cuda.driver_too_old',
    'uzh-rpg/rpg_open_remode#9',
    'ERROR: cudaGetDeviceCount CUDA driver version is insufficient for CUDA runtime version',
  ],
];
