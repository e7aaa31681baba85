/** For tests: of drivers, GPUs and ranks; numbers, versions and addresses are changed. */
import type { Posted } from './posted.ts';

export const postedByGpusAndRanks: readonly Posted[] = [
  [
    'driver.dkms_failed',
    'pop-os/pop#3811',
    'Building initial module for 6.17.8-76061708-generic\nERROR (dkms apport): kernel package linux-headers-6.17.8-76061708-generic is not supported\nError! Bad return status for module build on kernel: 6.17.8-76061708-generic (x86_64)\nConsult /var/lib/dkms/nvidia/580.105.08/build/make.log for more information.',
  ],
  [
    'driver.dkms_failed',
    'void-linux/void-packages#54925',
    'Building DKMS module: nvidia-570.124.04... FAILED!',
  ],
  [
    'driver.version_mismatch',
    'Frogging-Family/nvidia-all#394',
    "[   11.318204] NVRM: API mismatch: the client 'sddm-greeter' (pid 1187)\n               NVRM: has the version 595.71, but this kernel module has\n               NVRM: the version 595.58.  Please make sure that this\n               NVRM: kernel module and all NVIDIA driver components",
  ],
  [
    'driver.version_mismatch',
    'ai-dynamo/nixl#441',
    '[[ System has unsupported display driver / cuda driver combination (error 803) ]]',
  ],
  [
    'gpu.lost',
    'NVIDIA/NVSentinel#155',
    '[ 2210.114873] NVRM: The NVIDIA GPU 0000:c1:00.0\n               NVRM: (PCI ID: 10de:26b9) installed in this system has\n               NVRM: fallen off the bus and is not responding to commands.\n[ 2210.251006] NVRM: The NVIDIA probe routine failed for 1 device(s).',
  ],
  [
    'gpu.lost',
    'pdbear/syno_nvidia_gpu_driver#22',
    'Unable to determine the device handle for GPU0000:0A:00.0: Unknown Error',
  ],
  [
    'driver.wrong_kernel',
    'realsenseai/realsense_mipi_platform_driver#281',
    'Jun 26 09:12:07 node1 kernel: [   14.902311] nvidia: disagrees about version of symbol i2c_get_adapter\nJun 26 09:12:07 node1 kernel: [   14.902325] nvidia: Unknown symbol i2c_get_adapter (err -22)',
  ],
  [
    'driver.secure_boot',
    'hhfeuer/nvhda#8',
    "modprobe: ERROR: could not insert 'nvhda': Required key not available",
  ],
  [
    'driver.nouveau',
    'mattshma/bigdata#133',
    '[190112.402817] NVRM: The NVIDIA probe routine was not called for 4 device(s).\n[190112.403544] NVRM: This can occur when a driver such as: \nNVRM: nouveau, rivafb, nvidiafb or rivatv \nNVRM: was loaded and obtained ownership of the NVIDIA device(s).',
  ],
  [
    'gpu.init_failed',
    'NVIDIA/open-gpu-kernel-modules#789',
    '[  871.204418] NVRM: RmInitAdapter: Cannot initialize GSP firmware RM\n[  871.205702] NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x65:1784)\n[  871.206630] NVRM: GPU 0000:3b:00.0: rm_init_adapter failed, device minor number 0',
  ],
  [
    'driver.gpu_needs_proprietary',
    'NVIDIA/open-gpu-kernel-modules#696',
    'NVRM: The NVIDIA GPU 0000:05:00.0 (PCI ID: 10de:1b80)\nNVRM: installed in this system is not supported by open\nNVRM: nvidia.ko because it does not include the required GPU\nNVRM: System Processor (GSP).',
  ],
  [
    'driver.legacy_gpu',
    'NixOS/nixos-hardware#1880',
    '[Mon May 18 09:20:14 2026] NVRM: The NVIDIA NVIDIA GeForce GTX 1060 GPU installed in this system is\n                           NVRM:  supported through the NVIDIA 580.xx Legacy drivers. Please\n                           NVRM:  visit http://www.nvidia.com/object/unix.html for more\n                           NVRM:  information.  The 595.58.03 NVIDIA driver will ignore',
  ],
  [
    'driver.compiler_mismatch',
    'voidlinux/void-packages#5287',
    'gcc-version-check failed:\n\nThe compiler used to compile the kernel (gcc\n5.4) does not exactly match the current compiler',
  ],
  [
    'container.no_gpu',
    'NVIDIA/nvidia-container-toolkit#434',
    'docker: Error response from daemon: could not select device driver "cdi" with capabilities: [].\nERRO[0000] error waiting for container: context canceled',
  ],
  [
    'container.no_gpu',
    'vespa-engine/vespa#27945',
    'Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#2013',
    '[2026-03-11 09:41:17] node3:41822:42010 [2] ibvwrap.c:262 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_2:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:192.0.2.13, remote GID ::ffff:192.0.2.29',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#1664',
    'NET/IBP:Got completion from peer 192.0.2.83<41207> with status=12 opcode=32611 len=32609 vendor err 129 (Send)',
  ],
  [
    'gloo.connect',
    'GoogleCloudPlatform/scientific-computing-examples#118',
    '/opt/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/socket.cc:142] rv != -1. -1 vs -1. connect: Network is unreachable',
  ],
  ['gloo.interface', 'spark-arena/sparkrun#275', 'RuntimeError: Unable to find address for: eth1'],
  [
    'gloo.timeout',
    'NVIDIA/nccl#849',
    'RuntimeError: [Rank 0]: Ranks 2, 3 failed to pass monitoredBarrier in 1200000 ms',
  ],
  [
    'nccl.timeout',
    'XPixelGroup/BasicSR#737',
    '[rank2]:[E626 07:02:19.530184772 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 2] Exception (either an error or timeout) detected by watchdog at work: 912, last enqueued NCCL work: 915, last completed NCCL work: 911.',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl#1514',
    'ncclInternalError: Internal check failed.\nLast error:\nNet : Connection closed by remote peer node2<47712>',
  ],
  ['nccl.interface', 'marin-community/marin#6940', 'Bootstrap : no socket interface found'],
  [
    'nccl.duplicate_gpu',
    'pytorch/pytorch#68666',
    'RuntimeError: Duplicated GPU device is not allowed by NCCL. Rank [0] and rank [4] both attached to GPU device 0 on the same host node1.example.com. Most likely your world_size is larger than the total number of GPUs',
  ],
  [
    'nccl.connect',
    'NVIDIA/nccl#975',
    'node1:13120:13288 [5] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to fe80::1%ib1<18205> failed : Software caused connection abort',
  ],
  [
    'nccl.mismatch',
    'NVIDIA/nccl#969',
    'node1:1402211:1402377 [0] transport/net_ib.cc:1038 NCCL WARN NET/IB : req 0/1 tag 0 peer 192.0.2.6<51177> collective mismatch error, local size 507904 remote size 65536',
  ],
  [
    'data.shared_memory',
    'pytorch/ci-infra#490',
    '[2026-04-22 22:01:48] node1:1733:1811 [0] misc/shmutils.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-Xt41bQ to 9637892 bytes, error: No space left on device (28)',
  ],
  [
    'data.worker_crashed',
    'PaddlePaddle/PaddleClas#1149',
    'ERROR: Unexpected segmentation fault encountered in DataLoader workers.',
  ],
  [
    'data.workers',
    'hiyouga/LlamaFactory#10764',
    "AttributeError: Can't get local object 'enable_input_require_grads.<locals>.make_inputs_require_grads'",
  ],
  ['system.too_many_files', 'Intellindust-AI-Lab/DEIMv2#93', 'RuntimeError: received 0 items of ancdata'],
  [
    'checkpoint.damaged',
    '1230young/bizgen#15',
    'safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge',
  ],
  [
    'checkpoint.weights_only',
    'mlcommons/mlperf-automations#465',
    '        WeightsUnpickler error: Unsupported global: GLOBAL argparse.Namespace was not an allowed global by default. Please use `torch.serialization.add_safe_globals([Namespace])` or the `torch.serialization.safe_globals([Namespace])` context manager to allowlist this global if you trust this class/function.',
  ],
  [
    'cuda.invalid_device',
    'bcmi/Object-Shadow-Generation-Dataset-DESOBAv2#18',
    'Attempting to deserialize object on CUDA device 5 but torch.cuda.device_count() is 2. Please use torch.load with map_location to map your storages to an existing device',
  ],
  [
    'cuda.architecture',
    'eric612/MobileNet-YOLO#266',
    'Check failed: error == cudaSuccess (48 vs. 0)  no kernel image is available for execution on the device',
  ],
  [
    'cuda.fabric_manager',
    'wilicc/gpu-burn#92',
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  Error (gpu_burn-drv.cpp:298): system not yet initialized",
  ],
  [
    'cuda.busy',
    'NVIDIA/DIGITS#2005',
    'Check failed: error == cudaSuccess (46 vs. 0)  all CUDA-capable devices are busy or unavailable',
  ],
  [
    'cuda.out_of_memory',
    'pytorch/pytorch#157535',
    'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "/pytorch/c10/cuda/CUDACachingAllocator.cpp":1016, please report a bug to PyTorch. ',
  ],
  ['cudnn.version', 'pytorch/pytorch#185512', 'RuntimeError: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH'],
  [
    'tensor.types',
    'SanDiegoDude/ComfyUI-HiDream-Sampler#15',
    '!!! ERROR during execution: expected mat1 and mat2 to have the same dtype, but got: struct c10::Half != struct c10::BFloat16',
  ],
  [
    'memory.killed',
    '0jc1/py-autovod#7',
    '[Sun Mar 30 09:11:42 2025] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/init.scope,task=python,pid=8124,uid=0',
  ],
  [
    'memory.killed',
    'systemd/systemd#23606',
    'Dec 18 20:11:03 node1 systemd[1904]: vte-spawn-3b1f6c22-9d40-4a1e-8f0f-51c2a7f0b9e4.scope: systemd-oomd killed 14 process(es) in this unit.',
  ],
  [
    'rank.port_in_use',
    'meta-llama/llama-models#210',
    'RuntimeError: The server socket has failed to listen on any local network address. useIpv6: 0, code: -48, name: EADDRINUSE, message: address already in use',
  ],
  [
    'elastic.crashed',
    'FlagOpen/FlagEmbedding#1549',
    'E1119 09:41:17.308000 30122 site-packages/torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: -11) local_rank: 0 (pid: 30190) of binary: /home/alice/miniconda3/envs/py312/bin/python3.12',
  ],
  [
    'gpu.memory_error',
    'leptonai/gpud#1174',
    'NVRM: Xid (PCI:0000:9c:00): 94, pid=2417, name=python3, Contained ECC error',
  ],
  [
    'rank.no_libuv',
    'hiyouga/LlamaFactory#7806',
    'torch.distributed.DistStoreError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to disable it.',
  ],
  [
    'ddp.marked_twice',
    'lucidrains/DALLE2-pytorch#225',
    'Parameter at index 612 has been marked as ready twice. This means that multiple autograd engine  hooks have fired for this particular parameter during this iteration. You can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print parameter names for further debugging.',
  ],
  [
    'ddp.other_model',
    'ViTAE-Transformer/RSP#5',
    'DDP expects same model across all ranks, but Rank 0 has 158 params, while rank 1 has inconsistent 0 params.',
  ],
  [
    'gpu.reset_required',
    'scitix/sichek#51',
    '[Sun Jan 11 10:24:36 2026] NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED] (0x00000062) returned from status @ kernel_channel.c:2874 ',
  ],
  [
    'rank.duplicate',
    'Lightning-AI/pytorch-lightning#14986',
    'node1:19204:19471 [0] bootstrap.cc:131 NCCL WARN Bootstrap Root : rank 1 of 8 ranks has already checked in',
  ],
  [
    'rank.store_barrier',
    'tczhangzhi/pytorch-distributed#18',
    'RuntimeError: Timed out initializing process group in store based barrier on rank: 3, for key: store_based_barrier_key:1 (world_size=2, worker_count=4, timeout=0:30:00)',
  ],
  [
    'gpu.no_addresses',
    'NVIDIA/gpu-operator#492',
    '[71844.063553] NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\n               NVRM: BAR1 is 0M @ 0x0 (PCI:0000:17:00.0)\n[71844.063557] nvidia: probe of 0000:17:00.0 failed with error -1',
  ],
  [
    'driver.dkms_failed',
    'void-linux/void-packages#53759',
    "make[2]: *** [/usr/src/kernel-headers-6.12.9_1/Makefile:1937: /var/lib/dkms/nvidia/470.256.02/build] Chyba 2\nmake[1]: *** [Makefile:224: __sub-make] Error 2\nmake[1]: Leaving directory '/usr/src/kernel-headers-6.12.9_1'\nmake: *** [Makefile:80: modules] Error 2",
  ],
  [
    'gpu.gsp_timeout',
    'NVIDIA/open-gpu-kernel-modules#1230',
    '[   26.302465] NVRM: GPU3 _kgspIsHeartbeatTimedOut: Heartbeat timed out, currentTimeMs 812753949 heartbeat 1901482 heartbeatWithOffsetMs 812747879 diff 6070 timeout 5200\n[   86.300488] NVRM: GPU3 _kgspLogRpcTimeout: ********************************* GSP Timeout **********************************',
  ],
  [
    'driver.module_in_use',
    'NVIDIA/aerial-cuda-accelerated-ran#31',
    'Unload nvidia_drm...\nrmmod: ERROR: Module nvidia_drm is in use\nUnload nvidia_modeset...\nrmmod: ERROR: Module nvidia_modeset is in use by: nvidia_drm',
  ],
  [
    'driver.wrong_kernel',
    'Mellanox/nv_peer_memory#8',
    '[ 3811.350487] nv_peer_mem: disagrees about version of symbol nvidia_p2p_put_pages\n[ 3811.350488] nv_peer_mem: Unknown symbol nvidia_p2p_put_pages (err -22)',
  ],
  [
    'gpu.permission',
    'NVIDIA/nvidia-container-toolkit#210',
    'podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi -L\nFailed to initialize NVML: Insufficient Permissions',
  ],
  [
    'gpu.init_failed',
    'NVIDIA/gpu-operator#1146',
    'Dec  2 11:49:53 node4 kernel: [  885.242168] NVRM: GPU 0000:0b:00.0: RmInitAdapter failed! (0x24:0x72:1568)\nDec  2 11:49:53 node4 kernel: [  885.242457] NVRM: GPU 0000:0b:00.0: rm_init_adapter failed, device minor number 4',
  ],
  [
    'container.no_gpu',
    'kubernetes-sigs/dra-driver-nvidia-gpu#736',
    '  Warning  Failed     86s (x26 over 6m37s)  kubelet            Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.gpu.nvidia.com/device=gpu-2',
  ],
  [
    'gpu.lost',
    'rwth-i6/returnn#1500',
    "[  +0.000004] pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)\n[  +0.000921] nvidia 0000:04:00.0: AER: can't recover (no error_detected callback)\n[  +0.000041] pcieport 0000:00:02.0: AER: device recovery failed",
  ],
  [
    'gpu.memory_error',
    'nagadit/DeepFaceLab_Linux#89',
    'F tensorflow/stream_executor/lib/statusor.cc:34] Attempting to fetch value instead of handling error Internal: failed initializing StreamExecutor for CUDA device ordinal 1: Internal: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered',
  ],
  [
    'cuda.fabric_manager',
    'pytorch/pytorch#35710',
    'cudaGetDeviceProperties returned 802\n-> system not yet initialized\nCUDA error at bandwidthTest.cu:256 code=802(cudaErrorSystemNotReady) "cudaSetDevice(currentDevice)" ',
  ],
  [
    'cudnn.version',
    'xingyizhou/CenterNet#119',
    'RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7102 but linked against 7604',
  ],
  [
    'memory.killed',
    'nextflow-io/nextflow#5932',
    'slurmstepd: error: Detected 1 oom_kill event in StepId=11411203.0. Some of the step tasks have been OOM Killed.\nsrun: error: node6156: task 0: Out Of Memory',
  ],
  [
    'process.killed',
    'ArjunaCluster/ArjunaUsers#52',
    '/var/spool/slurmd/job00203/slurm_script: line 28:  8312 Killed                  python3 main.py --prop hform --epochs 300 --lr_milestones 50 100 200 --gamma 0.25 --normalizing_const_AO 10000.0 --lr_generator 0.001 --lr_conv 0.001',
  ],
  [
    'memory.exhausted',
    'IvanoLauriola/MKLpy#27',
    'DefaultCPUAllocator: not enough memory: you tried to allocate 5174209024 bytes.',
  ],
  [
    'cuda.busy',
    'ggml-org/llama.cpp#11841',
    'CUDA error: CUDA-capable device(s) is/are busy or unavailable\n  current device: 0, in function ggml_cuda_set_device at /home/alice/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:86\n  cudaSetDevice(device)',
  ],
  [
    'rank.store_lost',
    'sgl-project/sglang#20859',
    '[rank8]:[W318 10:00:41.929037914 ProcessGroupNCCL.cpp:1771] [PG ID 0 PG GUID 0 Rank 8] Failed to check the "should dump" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: Connection reset by peer\n[rank12]:[W318 10:00:41.915284135 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=135, addr=[node2.example.local]:48750, remote=[node1.example.local]:20000): Connection reset by peer',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl#1232',
    'NCCL WARN socketProgress: Connection closed by remote peer node3<41760>',
  ],
  [
    'gloo.connect',
    'aws-samples/aws-do-eks#69',
    'RuntimeError: Gloo connectFullMesh failed with [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:152]\n  timed out connecting: SO_ERROR: Connection refused, remote=[127.0.0.1]:38715\n  (rank=9, size=16, local=[127.0.0.1])',
  ],
  [
    'gloo.interface',
    'Megvii-BaseDetection/YOLOX#139',
    'RuntimeError: [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: ib1',
  ],
  [
    'cuda.invalid_device',
    'NVIDIA/nccl#1948',
    "transport/p2p.cc:275 NCCL WARN Cuda failure 101 'invalid device ordinal'",
  ],
  [
    'nccl.interface',
    'NVIDIA/nccl#1837',
    '[trainer3]:node16:2044:2044 [3] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth3\n[trainer0|0]:ncclInternalError: Internal check failed.\n[trainer0|0]:Last error:\n[trainer0|0]:ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor AF_INET6(10)',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl-tests#24',
    'node5:36102:36177 [0] transport/net_ib.cu:788 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129\nnode5:36102:36177 [0] NCCL INFO include/net.h:34 -> 2',
  ],
  [
    'nccl.mismatch',
    'NVIDIA/nccl#296',
    'init.cc:1247 NCCL WARN Mismatched collective detected, please check your collective calls at and around rank 21. You can use NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=COLL to see the collective logs',
  ],
  [
    'nccl.connect',
    'hiyouga/LlamaFactory#8045',
    'node2:1190322:1191307 [0] NCCL INFO socketPollConnect: connect returned No route to host, retrying (33/34) after sleep for 3300 msec\nnode2:1190322:1191307 [0] NCCL INFO socketPollConnect: connect returned No route to host, retrying (34/34) after sleep for 3400 msec',
  ],
  [
    'compile.no_triton',
    'kijai/ComfyUI-WanVideoWrapper#978',
    '    raise TritonMissing(inspect.currentframe())\ntorch._inductor.exc.TritonMissing: Cannot find a working triton installation. Either the package is not installed or it is too old. More information on installing Triton can be found at: https://github.com/triton-lang/triton',
  ],
  [
    'compile.failed',
    'unslothai/unsloth#1175',
    "[02:41:33.512]: W1024 02:41:33.510000 140404233111360 torch/_dynamo/convert_frame.py:1009] torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n[02:41:33.512]: W1024 02:41:33.510000 140404233111360 torch/_dynamo/convert_frame.py:1009] NameError: name 's4' is not defined",
  ],
  [
    'checkpoint.optimizer',
    'kenshohara/3D-ResNets-PyTorch#173',
    'ValueError: loaded state dict has a different number of parameter groups',
  ],
  [
    'ddp.marked_twice',
    'huggingface/transformers#4659',
    'RuntimeError: Expected to mark a variable ready only once. This error is caused by use of a module parameter outside the `forward` function.',
  ],
  [
    'build.no_library',
    'pytorch/pytorch#103417',
    '/usr/bin/ld: cannot find -lcuda: No such file or directory\ncollect2: error: ld returned 1 exit status',
  ],
  [
    'checkpoint.damaged',
    'tloen/alpaca-lora#628',
    'safetensors_rust.SafetensorError: Error while deserializing header: InvalidHeaderDeserialization.',
  ],
  [
    'cuda.invalid_device',
    'NVIDIA/nccl-tests#263',
    "node10: Test CUDA failure common.cu:941 'invalid device ordinal'\n .. node10 pid 891204: Test failure common.cu:891",
  ],
  ['data.worker_crashed', 'Starrah/DMH-Net#3', 'ERROR: Unexpected segmentation fault encountered in worker.'],
  [
    'elastic.stopped',
    'determined-ai/determined#8915',
    '[2024-02-27T22:10:41.106313Z] c41d07be || WARNING: torch.distributed.elastic.agent.server.api:Received 15 death signal, shutting down workers\n[2024-02-27T22:10:41.106517Z] c41d07be || WARNING: torch.distributed.elastic.multiprocessing.api:Sending process 171 closing signal SIGTERM',
  ],
  [
    'cuda.illegal_access',
    'verl-project/verl#3579',
    '(WorkerDict pid=2741093) [rank3]:[E923 12:02:47.615370309 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: misaligned address\n(WorkerDict pid=2741093) CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.',
  ],
  [
    'gpu.mig_pending',
    'NVIDIA/gpu-operator#118',
    'Warning: MIG mode is in pending disable state for GPU 00000000:B1:00.0:In use by another client\n00000000:B1:00.0 is currently being used by one or more other processes (e.g. CUDA application or a monitoring application such as another instance of nvidia-smi). Please first kill all processes using the device and retry the command or reboot the system to make MIG mode effective.',
  ],
  [
    'loss.not_finite',
    'NVIDIA/apex#440',
    "RuntimeError: Function 'MmBackward' returned nan values in its 0th output.",
  ],
  [
    'tensor.types',
    'oguiza/fastai_extensions#3',
    'RuntimeError: expected backend CUDA and dtype Float but got backend CUDA and dtype Half',
  ],
  [
    'cuda.precision',
    'Nerogar/OneTrainer#186',
    'RuntimeError: Current CUDA Device does not support bfloat16. Please switch dtype to float16.',
  ],
  [
    'autograd.inplace',
    'kekmodel/MPL-pytorch#10',
    'RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [256]] is at version 4; expected version 3 instead. Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!',
  ],
];
