/**
 * For tests: a second search by subject, after the rules were widened for the first. Of these the doctor recognised 35 of 54 at first
 * (65 %), and 14 of 31 of a third search (45 %), named no wrong cause in the latter, and was widened for both. Two texts are left out
 * since: a bare 'Broken pipe', and a wrong use of rsync.
 */
import type { Posted } from './posted.ts';

export const postedBySubjectAgain: readonly Posted[] = [
  [
    'rank.not_launched',
    'hustvl/MIMDet#28',
    'RuntimeError: Default process group has not been initialized, please make sure to call init_process_group.',
  ],
  [
    'rank.not_launched',
    'open-mmlab/mmsegmentation#809',
    '    360     return GroupMember.WORLD\n\nRuntimeError: Default process group has not been initialized, please make sure to call init_process_group.',
  ],
  [
    'rank.initialised_twice',
    'pytorch/pytorch#43536',
    'RuntimeError: trying to initialize the default process group twice!',
  ],
  [
    'nccl.timeout',
    'mittagessen/party#7',
    '[rank2]:[E131 16:15:16.733099300 ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank 2] Process group watchdog thread terminated with exception: [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800047 milliseconds before timing out.',
  ],
  [
    'nccl.timeout',
    'allenai/OLMo#846',
    '[rank2]:[E531 18:49:48.928853486 ProcessGroupNCCL.cpp:629] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=149489, OpType=_ALLGATHER_BASE, NumelIn=18561\n4592, NumelOut=1484916736, Timeout(ms)=1800000) ran for 1800002 milliseconds before timing out.',
  ],
  [
    'driver.dead_after_update',
    'GoogleCloudPlatform/compute-gpu-installation#18',
    "$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    'driver.dead_after_update',
    'qixuema/envs#4',
    'NVIDIA-SMI has failed because it couldn‘t communicate with the NVIDIA driver.\nMake sure that the latest NVIDIA driver is installed and running.',
  ],
  [
    'driver.dead_after_update',
    'NVIDIA/nvidia-docker#988',
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure\nthat the latest NVIDIA driver is installed and running.",
  ],
  [
    'driver.version_mismatch',
    'StatCan/aaw#1581',
    'Failed to initialize NVML: Driver/library version mismatch',
  ],
  [
    'container.lost_gpu',
    'ultrabug/py3status#764',
    '$ nvidia-smi -q -d TEMPERATURE\nFailed to initialize NVML: Unknown Error',
  ],
  [
    'memory.exhausted',
    'wuyifan18/DeepLog#50',
    "[enforce fail at CPUAllocator.cpp:64] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 278528000 bytes. Error code 12 (Cannot allocate memory)",
  ],
  [
    'memory.exhausted',
    'liyi14/mx-DeepIM#22',
    "    os.popen('cp {} {}'.format(src_file, dst_file))\nOSError: [Errno 12] Cannot allocate memory",
  ],
  [
    'memory.exhausted',
    'austinxu87/handsoff#4',
    'RuntimeError: [enforce fail at ..\\c10\\core\\CPUAllocator.cpp:73] data. DefaultCPUAllocator: not enough memory: you tried to allocate 318767104000 bytes. Buy new RAM!',
  ],
  ['memory.exhausted', 'Akegarasu/lora-scripts#170', 'MemoryError: bad allocation'],
  ['memory.exhausted', 'aras62/PIEPredict#28', 'Allocation of 9707550720 exceeds 10% of free system memory.'],
  [
    'pip.build_failed',
    'pypa/wheel#446',
    '  Building wheel for pycapnp (setup.py) ... error\n  ERROR: Command errored out with exit status 1:',
  ],
  [
    'pip.build_failed',
    'hotdoc/hotdoc#216',
    'Collecting dbus-deviation\n  Using cached dbus-deviation-0.6.0.tar.gz (59 kB)\n    ERROR: Command errored out with exit status 1:',
  ],
  [
    'pip.build_failed',
    'chaostoolkit/chaostoolkit#5',
    "  error: invalid command 'bdist_wheel'\n\n  ----------------------------------------\n  Failed building wheel for click-plugins",
  ],
  [
    'pip.build_failed',
    'pypa/pip#12200',
    '  × pip subprocess to install build dependencies did not run successfully.\n  │ exit code: 2',
  ],
  [
    'pip.build_failed',
    'lavie/runlike#49',
    "  error: invalid command 'bdist_wheel'\n\n  ----------------------------------------\n  Failed building wheel for runlike\nFailed to build runlike",
  ],
  [
    'pip.build_failed',
    'daducci/COMMIT#120',
    "  error: invalid command 'bdist_wheel'\n  ----------------------------------------\n  ERROR: Failed building wheel for dmri-commit",
  ],
  [
    'conda.conflict',
    'conda/conda#9834',
    'Found conflicts! Looking for incompatible packages.\nThis can take several minutes.  Press CTRL-C to abort.\nfailed\n\nUnsatisfiableError: The following specifications were found to be incompatible with each other:',
  ],
  [
    'conda.conflict',
    'conda/conda#9361',
    'UnsatisfiableError: The following specifications were found to be in conflict:\n  - pytorch::pytorch\nUse "conda search <package> --info" to see the dependencies for each package.',
  ],
  [
    'conda.conflict',
    'conda/conda#10780',
    "Package jsonschema conflicts for:\njupyterlab~=3.0 -> jupyterlab_server[version='>=2.3,<3'] -> jsonschema[version='>=3.0.1']",
  ],
  [
    'process.killed',
    'mobie/mobie-utils-python#14',
    'This can take several minutes.  Press CTRL-C to abort.\n- Killed',
  ],
  [
    'apt.bad_signature',
    'openSUSE/MirrorCache#519',
    'W: GPG error: https://download.example.org/xUbuntu_22.04 ./ InRelease: The following signatures were invalid: EXPKEYSIG B8AC39B0876D807E home:a OBS Project',
  ],
  [
    'apt.bad_signature',
    'phusion/passenger#1533',
    'GPG error: https://oss.example.org trusty Release: The following signatures were invalid: \nBADSIG 561F9B9CAC40B2F7 Automated Software Signing',
  ],
  [
    'apt.mirror_failed',
    'jesseduffield/lazygit#600',
    'E: Failed to fetch http://ppa.example.org/daily/ubuntu/dists/bionic/InRelease  403  Forbidden [IP: 192.0.2.83 80]',
  ],
  [
    'apt.unknown_key',
    'jesseduffield/lazygit#600',
    "E: The repository 'http://ppa.example.org/daily/ubuntu bionic InRelease' is no longer signed.",
  ],
  [
    'apt.bad_signature',
    'openresty/openresty#710',
    '  The following signatures were invalid: BADSIG 97DB7443D5EDEB74 Admin <admin@example.org>',
  ],
  [
    'apt.bad_signature',
    'CypherpunkArmory/UserLAnd#347',
    'Err:2 http://deb.example.org/debian stable-update\n InRelease\n  At least one invalid signature was encountered.',
  ],
  [
    'apt.bad_signature',
    'dswd/vpncloud#165',
    'W: Failed to fetch https://repo.example.org/deb/dists/stable/InRelease  The following signatures were invalid: EXPKEYSIG DE4AC96B587C93A9 (Repo Key)',
  ],
  [
    'apt.unknown_key',
    'pgsty/pigsty#673',
    "W: GPG error: https://repo.example.org/apt/infra generic InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY E7935D8DB9BD8B20",
  ],
  [
    'apt.bad_release',
    'osquery/osquery#3031',
    "W: Invalid 'Date' entry in Release file /var/lib/apt/lists/partial/packages.example.org_xenial_dists_xenial_Release",
  ],
  [
    'ssh.denied',
    'nyu-mll/jiant#412',
    "Cloning into 'jiant'...\ngit@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
  ],
  [
    'ssh.denied',
    'creationix/seaduk#10',
    "Cloning into '/tmp/nucleus/implementations/seaduk'...\nPermission denied (publickey).\nfatal: Could not read from remote repository.",
  ],
  [
    'git.password',
    'eliotsykes/real-world-rails#205',
    "Cloning into '/home/a/apps/opensit'...\nERROR: Repository not found.\nfatal: Could not read from remote repository.",
  ],
  [
    'ssh.host_key_unknown',
    'rowr111/cubegarden#1',
    "Cloning into '/home/a/cubegarden/ChibiOS'...\nHost key verification failed.\nfatal: Could not read from remote repository.",
  ],
  [
    'ssh.host_key_unknown',
    'ibm-genwqe/genwqe-user#98',
    "Cloning into 'ext/libcxl'...\nThe authenticity of host 'github.com (192.0.2.129)' can't be established.",
  ],
  [
    'checkpoint.size_mismatch',
    'frgfm/holocron#123',
    'RuntimeError: Error(s) in loading state_dict for ResNet:\nMissing key(s) in state_dict: "features.0.weight", "features.1.weight", "features.1.bias"',
  ],
  [
    'checkpoint.size_mismatch',
    'Helias/Car-Model-Recognition#2',
    'RuntimeError: Error(s) in loading state_dict for ResNet:\n	size mismatch for fc.weight: copying a param with shape torch.Size([1000, 2048]) from checkpoint, the shape in current model is torch.Size([3, 2048]).',
  ],
  [
    'checkpoint.size_mismatch',
    'moskomule/senet.pytorch#9',
    '    .format(name))\nKeyError: \'unexpected key "weight" in state_dict\'',
  ],
  [
    'checkpoint.size_mismatch',
    'moskomule/senet.pytorch#9',
    '    own_state[name].copy_(param)\nRuntimeError: invalid argument 2: sizes do not match at /opt/conda/torch/lib/THC/generic/THCTensorCopy.c:95',
  ],
  [
    'checkpoint.size_mismatch',
    'multimodallearning/pytorch-mask-rcnn#3',
    '    self.load_state_dict(torch.load(filepath))\nKeyError: \'unexpected key "conv1.weight" in state_dict\'',
  ],
  [
    'cuda.driver_too_old',
    'isarsoft/yolov4-triton-tensorrt#2',
    '[E] [TRT] CUDA initialization failure with error 35. Please check your CUDA installation:  http://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html',
  ],
  [
    'container.no_gpu',
    'mlcommons/training#278',
    'nvidia-container-cli: initialization error: driver error: failed to process request',
  ],
  [
    'container.no_gpu',
    'NVIDIA/libnvidia-container#103',
    'nvidia-container-cli: initialization error: cuda error: unknown error',
  ],
  [
    'container.no_gpu',
    'MASILab/SLANTbrainSeg#10',
    'stderr: nvidia-container-cli: initialization error: cuda error: initialization error\\\\\\\\n\\\\\\\"\\\"\": unknown.',
  ],
  [
    'cuda.unknown_error',
    'microsoft/onnxruntime#21368',
    '[ONNXRuntimeError] : 1 : FAIL : CUDA failure 3: initialization error ; GPU=32764 ; hostname=n1',
  ],
  [
    'data.worker_killed',
    '2U1/Phi3-Vision-Finetune#10',
    "  raise RuntimeError(f'DataLoader worker (pid(s) {pids_str}) exited unexpectedly') from e\nRuntimeError: DataLoader worker (pid(s) 79123) exited unexpectedly",
  ],
  [
    'data.worker_ended',
    'GrayboxTech/weightslab#111',
    'Error in _next_batch: DataLoader worker (pid 2804708) exited unexpectedly with exit code 1. Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace.',
  ],
  [
    'data.workers',
    'median-research-group/LibMTL#20',
    "    assert self._parent_pid == os.getpid(), 'can only test a child process'\nAssertionError: can only test a child process",
  ],
  ['data.workers', 'xingyizhou/CenterNet#649', "Can't pickle local object 'get_dataset.<locals>.Dataset'"],
  [
    'elastic.child_failed',
    'huggingface/pytorch-image-models#1724',
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n============================================================\ntrain.py FAILED\n------------------------------------------------------------\nFailures:\n[1]:\n  exitcode  : 2 (pid: 37881)',
  ],
  [
    'elastic.killed',
    'princeton-nlp/AutoCompressors#24',
    'Generating train split:   7%|▋         | 5813/81380 [00:35<03:31, 357.02 examples/s]E0731 23:14:13.108000 140299780256832 torch/distributed/elastic/multiprocessing/api.py:833] failed (exitcode: -9) local_rank: 0 (pid: 488431) of binary: /opt/conda/bin/python',
  ],
  [
    'elastic.child_failed',
    'pytorch/pytorch#123808',
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 17966) of binary:',
  ],
  [
    'elastic.child_failed',
    'InternLM/xtuner#387',
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 170552) of binary: /usr/bin/python3.10',
  ],
  [
    'elastic.child_failed',
    'FangyunWei/SLRT#66',
    '  rank      : 4 (local_rank: 4)\n  exitcode  : 1 (pid: 2680833)\n  error_file: <N/A>\n  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html',
  ],
  ['cuda.device_assert', 'huguyuehuhu/HCN-pytorch#26', 'RuntimeError: cuda runtime error (710)'],
  [
    'cuda.unknown_error',
    'yunjey/pytorch-tutorial#78',
    'RuntimeError: cuda runtime error (30) : unknown error at /opt/conda/conda-bld/pytorch_1501972792122/work/pytorch-0.1.12/torch/lib/THC/THCGeneral.c:66',
  ],
  [
    'cuda.unknown_error',
    'facebookresearch/maskrcnn-benchmark#238',
    'THCudaCheck FAIL file=/opt/conda/conda-bld/pytorch-nightly_1542964575207/work/aten/src/THC/THCGeneral.cpp line=51 error=30 : unknown error',
  ],
  [
    'cuda.out_of_memory',
    'facebookresearch/maskrcnn-benchmark#238',
    'RuntimeError: CUDA error: out of memory',
  ],
  [
    'cuda.illegal_access',
    'pytorch/pytorch#21276',
    'THCudaCheck FAIL file=/pytorch/aten/src/THC/THCCachingHostAllocator.cpp line=271 error=4 : unspecified launch failure',
  ],
  ['cuda.out_of_memory', 'chenxin061/pdarts#16', 'RuntimeError: cuda runtime error (2)'],
  [
    'cuda.illegal_access',
    'pytorch/pytorch#3912',
    'RuntimeError: cuda runtime error (4) : unspecified launch failure at /opt/conda/conda-bld/pytorch_1502009910772/work/torch/lib/THC/generic/THCStorage.c:32',
  ],
  [
    'apt.unmet',
    'NVIDIA/DIGITS#635',
    "The following packages have unmet dependencies:\n cuda : Depends: cuda-7-5 (= 7.5-18) but it is not going to be installed\nE: Unmet dependencies. Try 'apt-get -f install' with no packages (or specify a solution).",
  ],
  [
    'apt.unmet',
    'jeremad/cuda-travis#1',
    ' cuda-drivers : Depends: libnvidia-gl-418 (>= 418.40.04) but it is not going to be installed\n                Depends: libnvidia-ifr1-418 (>= 418.40.04) but it is not going to be installed',
  ],
  [
    'apt.dpkg_failed',
    'hpc-admin-sist/DockerMonitor#15',
    "dpkg: error processing archive /var/cache/apt/archives/libcuda1-410_410.79-0ubuntu1_amd64.deb (--unpack):\n unable to make backup link of './usr/lib/x86_64-linux-gnu/libcuda.so.410.79' before installing new version: Invalid cross-device link",
  ],
  [
    'apt.unmet',
    'AdaptiveCpp/AdaptiveCpp#1442',
    'The following packages have unmet dependencies:\n xserver-xorg-video-nvidia-495 : Depends: xorg-video-abi-24 but it is not installable or',
  ],
  [
    'apt.unmet',
    'ROCm/hip#820',
    ' hip-runtime-nvidia : Depends: cuda (>= 7.5) but it is not installable\nE: Unable to correct problems, you have held broken packages.',
  ],
  [
    'build.cuda_mismatch',
    'rajeshroy402/DeepStream-dGPU-Installation#6',
    '02_cuda-display-driver-installation.sh:34: command not found: nvcc',
  ],
  [
    'pip.unreachable',
    'yuka-friends/Windrecorder#211',
    "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ConnectTimeoutError(<pip._vendor.urllib3.connection.HTTPSConnection object at 0x000001702A632990>, 'Connection to pypi.tuna.tsinghua.edu.cn timed out. (connect timeout=15)')': /simple/poetry/",
  ],
  [
    'pip.unreachable',
    'pypa/pip#375',
    '  Cannot fetch index base URL http://pypi.python.org/simple/\n  Could not find any downloads that satisfy the requirement pip',
  ],
  [
    'network.name',
    'Azure/azure-quickstart-templates#2113',
    "  Could not fetch URL https://pypi.python.org/simple/msrest/: connection error: HTTPSConnectionPool(host='pypi.python.org', port=443): Max retries exceeded with url: /simple/msrest/ (Caused by <class 'socket.gaierror'>: [Errno -2] Name or service not known)",
  ],
  [
    'ssh.throttled',
    'redhat-cop/agnosticd#948',
    '"msg": "ssh_exchange_identification: Connection closed by remote host\\r\\nrsync: connection unexpectedly closed (0 bytes received so far) [sender]\\nrsync error: unexplained error (code 255) at io.c(605) [sender=3.0.9]\\n"',
  ],
  [
    'system.tool_missing',
    'scylladb/scylla-cluster-tests#13035',
    '<10.0.0.18>: bash: line 1: rsync: command not found',
  ],
  [
    'file.missing',
    'scylladb/scylla-cluster-tests#13035',
    'scp: /home/a/sct_scp.tmp/etc/scylla/scylla.yaml: No such file or directory',
  ],
  [
    'ssh.damaged',
    'scylladb/scylladb#9901',
    'ssh_dispatch_run_fatal: Connection from user a 192.0.2.0 port 43982: message authentication code incorrect',
  ],
  [
    'sudo.password',
    'codenvy/codenvy#1996',
    'sudo: no tty present and no askpass program specified\nrsync: connection unexpectedly closed (0 bytes received so far) [Receiver]',
  ],
  [
    'ssh.denied',
    'xcat2/xcat-core#4136',
    'cn03: Permission denied, please try again.\ncn03: Permission denied (publickey,gssapi-keyex,gssapi-with-mic,password).',
  ],
  [
    'download.checksum',
    'tensorflow/datasets#1551',
    'tensorflow_datasets.core.download.download_manager.NonMatchingChecksumError: Artifact https://data.example.org/x.h5.gz, downloaded to /home/a/downloads/x.h5.gz, has wrong checksum.',
  ],
  [
    'download.checksum',
    'huggingface/datasets#3952',
    "    raise NonMatchingChecksumError(error_msg + str(bad_urls))\nnlp.utils.info_utils.NonMatchingChecksumError: Checksums didn't match for dataset source files:",
  ],
  [
    'download.checksum',
    'meta-llama/llama#353',
    'consolidated.00.pth: FAILED\nparams.json: OK\nmd5sum: WARNING: 1 computed checksum did NOT match',
  ],
];
