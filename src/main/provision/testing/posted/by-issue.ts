/**
 * For tests: a search for each subject that the rules are for, after they were widened for the others. Of these 46 the doctor
 * recognised 24 at first (52 %), and named no wrong cause.
 */
import type { Posted } from './posted.ts';

export const postedByIssue: readonly Posted[] = [
  [
    'nccl.system_error',
    'NVIDIA/nccl#207',
    'NCCL error in: /torch/lib/c10d/ProcessGroupNCCL.cpp:260, unhandled system error',
  ],
  [
    'nccl.system_error',
    'pytorch/pytorch#39388',
    'RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:514, unhandled system error, NCCL version 2.4.8',
  ],
  [
    'nccl.system_error',
    'pytorch/examples#611',
    'RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:272, unhandled system error',
  ],
  ['nccl.cuda_error', 'pytorch/pytorch#17349', 'ProcessGroupNCCL.cpp:260, unhandled cuda error'],
  [
    'nccl.system_error',
    'Lightning-AI/pytorch-lightning#12257',
    'ncclSystemError: System call (socket, malloc, munmap, etc) failed.',
  ],
  [
    'nccl.system_error',
    'Lightning-AI/pytorch-lightning#6527',
    'RuntimeError: NCCL error in: /opt/conda/conda-bld/pytorch_1607370116979/work/torch/lib/c10d/ProcessGroupNCCL.cpp:784, unhandled system error, NCCL ve',
  ],
  [
    'nccl.system_error',
    'ai4d-iasc/trixie#87',
    'RuntimeError: NCCL error in: /opt/conda/conda-bld/pytorch_1656352465323/work/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1191, unhandled system error, NCCL versi\non 2.10.3\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.',
  ],
  ['nccl.system_error', 'amdegroot/ssd.pytorch#577', 'RuntimeError: NCCL Error 2: unhandled system error'],
  [
    'rank.port_in_use',
    'pyg-team/pytorch_geometric#8981',
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. The server socket has failed to bind to [::]:54902 (errno: 98 - Address already in use).',
  ],
  [
    'rank.port_in_use',
    'open-mmlab/mmpretrain#960',
    '[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:22 (errno: 98 - Address already in use).\n[E socket.cpp:435] [c10d] The server socket has failed to listen on any local network address.',
  ],
  ['rank.port_in_use', 'pytorch/pytorch#72816', 'RuntimeError: Address already in use'],
  [
    'rank.port_in_use',
    'YYuX-1145/Bert-VITS2-Integration-package#54',
    '[W socket.cpp:436] [c10d] The server socket has failed to bind to [n1]:10086 (system error: 10048 - 通常每 个套接字地址(协议/网络地址/端口)只允许使用一次。).',
  ],
  [
    'rank.wrong_address',
    'dmlc/dgl#2560',
    '/opt/dgl/src/rpc/network/tcp_socket.cc:69: Failed bind on 192.0.2.7:3026 ,errno=99',
  ],
  [
    'rank.port_in_use',
    'Adi-iitd/AI-Art#10',
    'RuntimeError: Only one usage of each socket address (protocol/network address/port) is normally permitted.',
  ],
  [
    'kernel.module_missing',
    'Witko/nvidia-xrun#106',
    '[    82.175] (WW) Warning, couldn\'t open module nvidia\n[    82.175] (EE) Failed to load module "nvidia" (module does not exist, 0)',
  ],
  [
    'driver.wrong_kernel',
    'Witko/nvidia-xrun#106',
    "modprobe: ERROR: could not insert 'off': Unknown symbol in module, or unknown parameter (see dmesg)",
  ],
  [
    'driver.no_gpu',
    'MrMEEE/ironhide#165',
    '  FATAL: Error inserting nvidia_current (/lib/modules/3.0.0-12-generic/updates/dkms/nvidia_current.ko): No such device',
  ],
  [
    'driver.module_refused',
    'Bumblebee-Project/Bumblebee#932',
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was built against the wrong or improperly configured kernel sources",
  ],
  [
    'kernel.module_missing',
    'Witko/nvidia-xrun#144',
    "modprobe: ERROR: could not find module by name 'nvidia'",
  ],
  [
    'driver.module_missing',
    'Witko/nvidia-xrun#144',
    'modprobe: FATAL: nvidia_drm not found in directory /lib/modules/5.5.9-zen1-2-zen',
  ],
  [
    'apt.locked',
    'Manta-Network/Manta#874',
    'Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 351825 (aWaiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 351825',
  ],
  [
    'apt.locked',
    'ZLCube/AutoBspwm#10',
    'Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 63985 (apt)',
  ],
  [
    'apt.locked',
    'delphix/appliance-build#299',
    'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)',
  ],
  [
    'apt.locked',
    'microsoft/WSL#251',
    'Could not lock the cache file; \nthis usually means that dpkg or another apt tool is already installing packages.',
  ],
  [
    'apt.locked',
    'pulibrary/princeton_ansible#6243',
    '"msg": "\'/usr/bin/apt-get dist-upgrade \' failed: E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 408242 (apt-get)"',
  ],
  [
    'apt.release_changed',
    'pulibrary/princeton_ansible#6243',
    "E:Repository 'http://ppa.example.org/php/ubuntu jammy InRelease' changed its 'Label' value from '***** The main PPA *****' to 'PPA for PHP'\"",
  ],
  [
    'apt.locked',
    'pulibrary/princeton_ansible#6243',
    '"msg": "Failed to lock apt for exclusive operation: Failed to lock',
  ],
  [
    'archive.damaged',
    'onionshare/onionshare#1196',
    'Archive:  onionshare_2zetcz.zip\n  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk of a multi-part archive.',
  ],
  [
    'archive.damaged',
    'darold/pgbadger#250',
    'gzip: stdin: unexpected end of file\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now',
  ],
  [
    'archive.damaged',
    'voxpupuli/puppet-archive#362',
    '    ERRORS:\n    Headers Error\n    Unconfirmed start of archive\n    ERROR: Data Error : standard.ww\\config.xml',
  ],
  [
    'archive.damaged',
    'GiovanH/unofficial-homestuck-collection#613',
    'error [Asset Pack V2.zip]:  start of central directory not found;\n  zipfile corrupt.',
  ],
  [
    'archive.damaged',
    'BrowserWorks/Waterfox-Classic#73',
    '    bzip2: Data integrity error when decompressing.\n            Input file = (stdin), output file = (stdout)',
  ],
  [
    'archive.damaged',
    'markfasheh/duperemove#120',
    'unzip:  cannot find zipfile directory in one of master.zip or\n        master.zip.zip, and cannot find master.zip.ZIP, period.',
  ],
  [
    'conda.not_found',
    'mamba-org/mamba#2933',
    'error    libmamba Could not solve for environment specs\n    The following package could not be installed\n    └─ medaka does not exist (perhaps a typo or a missing channel).',
  ],
  [
    'conda.not_found',
    'mamba-org/mamba#2202',
    'error    libmamba Could not solve for environment specs\n    Encountered problems while solving:\n      - nothing provides cudatoolkit >=11.3.1,<11.4.0a0 needed by libfaiss-1.7.3-hfc2d529_0_cuda11.3',
  ],
  [
    'conda.not_found',
    'conda/conda#11790',
    'error    libmamba Selected channel specific (or force-reinstall) job, but package is not available from channel. Solve job will fail.',
  ],
  [
    'conda.not_found',
    'mamba-org/mamba#772',
    'Problem: nothing provides requested pyopenssl 20.0.1**\n\nERROR   Could not solve for environment specs',
  ],
  [
    'conda.not_found',
    'mamba-org/mamba#3888',
    '    The following package could not be installed\n    └─ python =3.12.9 * does not exist (perhaps a typo or a missing channel).\ncritical libmamba Could not solve for environment specs',
  ],
  [
    'ssh.host_key_unknown',
    'ansible/ansible#20653',
    'fatal: [server01]: FAILED! => {"changed": false, "failed": true, "msg": "failed to get the hostkey for gitlab.com"}',
  ],
  [
    'ssh.host_key_unknown',
    'ansible/ansible#7812',
    '    "msg": "gitlab.com has an unknown hostkey. Set accept_hostkey to True or manually add the hostkey prior to running the git module"',
  ],
  [
    'ssh.host_key_changed',
    'ansible/ansible#9442',
    '@       WARNING: POSSIBLE DNS SPOOFING DETECTED!          @\nThe RSA host key for n1.example has changed,\nand the key for the corresponding IP address',
  ],
  [
    'elastic.crashed',
    'microsoft/SoftTeacher#158',
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -11) local_rank: 0 (pid: 15048) of binary: /opt/conda/bin/python3',
  ],
  [
    'elastic.crashed',
    'open-compass/VLMEvalKit#1131',
    '  exitcode  : -6 (pid: 32051)\n  error_file: <N/A>\n  traceback : Signal 6 (SIGABRT) received by PID 32051',
  ],
  [
    'elastic.crashed',
    'open-mmlab/mmsegmentation#3106',
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n========================================================\ntools/train.py FAILED\n  exitcode  : -6 (pid: 2385923)',
  ],
  [
    'elastic.stopped',
    'NVIDIA/nvidia-resiliency-ext#18',
    'site-packages/torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers',
  ],
  [
    'cuda.busy',
    'NVIDIA/nvidia-resiliency-ext#18',
    'RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable',
  ],
];
