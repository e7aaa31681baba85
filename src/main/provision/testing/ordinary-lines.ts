/** For tests: lines of healthy training, installations and kernel logs, in which the doctor must find nothing. */
const training = String.raw`Epoch: [0][ 0/21]	Time  0.512 ( 0.512)	Data  0.020 ( 0.020)	Loss 2.3026e+00 (2.3026e+00)
 *   Acc@1 92.750 Acc@5 99.500
Epoch 3/10: 100%|██████████| 391/391 [00:21<00:00, 18.34it/s, loss=0.412]
=> loading checkpoint 'checkpoint.pth.tar'
=> loaded checkpoint 'checkpoint.pth.tar' (epoch 12)
=> using pre-trained model 'resnet18'
Use GPU: 0 for training
W1123 10:04:31.990000 8471 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded
INFO:torch.distributed.nn.jit.instantiator:Created a temporary directory at /tmp/tmpx1
[rank0]:[W1123 ProcessGroupNCCL.cpp:4115] using GPU 0 to perform barrier as devices used by this process are currently unknown.
n1:77:90 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
n1:77:90 [0] NCCL INFO NET/IB : No device found.
n1:77:90 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>
n1:77:90 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation
n1:77:90 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0
n1:77:90 [0] NCCL INFO comm 0x55 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE
[I socket.cpp:566] [c10d] The server socket has started to listen on [::]:29500.
[I socket.cpp:787] [c10d] The client socket has connected to [n1]:29500 on [n1]:40312.
INFO:torch.distributed.elastic.agent.server.api:[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.
Rank 1 initialized, world size 2
Test: [10/40]	Time  0.101 ( 0.130)	Loss 4.1092e-01 (3.9921e-01)	Acc@1  87.50 ( 88.12)	Acc@5  99.22 ( 99.50)
validation accuracy 0.9312, no improvement for 2 epochs
Files already downloaded and verified
Downloading https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz to ./data/cifar-10-python.tar.gz
GradScaler: skipping step, found inf, scale is now 32768.0
FutureWarning: You are using torch.load with weights_only=False (the current default value), which uses the default pickle module implicitly.
UserWarning: Detected call of lr_scheduler.step() before optimizer.step().
max memory allocated 7.94 GiB of 10.00 GiB
The error of the quantised model is 0.0032, within 1 percent of the original
saving checkpoint to runs/4/checkpoint.pth.tar (46.8 MB)
early stopping: patience 5 reached, best epoch 31
loss 0.0137 (killed 0 outliers)
throughput 213.4 images/s, 0 retries, 0 errors
TensorBoard 2.16.2 at http://localhost:6006/ (Press CTRL+C to quit)
wandb: Run data is saved locally in /home/a/wandb/run-1`;

const installing = String.raw`Hit:1 http://mirror.example/debian bookworm InRelease
Get:2 http://mirror.example/debian bookworm/main amd64 libgloo-dev amd64 0.0~git20220518 [64.1 kB]
Ign:3 http://mirror.example/debian bookworm-backports InRelease
Fetched 24.3 MB in 4s (6,075 kB/s)
Reading package lists... Done
Building dependency tree... Done
The following NEW packages will be installed:
0 upgraded, 12 newly installed, 0 to remove and 3 not upgraded.
Need to get 96.1 MB of archives.
After this operation, 262 MB of additional disk space will be used.
Selecting previously unselected package libtorch-dev.
(Reading database ... 197294 files and directories currently installed.)
Preparing to unpack .../libtorch-dev_1.13.1_amd64.deb ...
Unpacking libtorch-dev (1.13.1+dfsg-4) ...
Setting up libtorch-dev (1.13.1+dfsg-4) ...
Processing triggers for libc-bin (2.36-9) ...
nvidia-current-535.183.01: DKMS: install completed.
Module build for kernel 6.1.0-18-amd64 was skipped since the kernel headers for this kernel does not seem to be installed.
update-initramfs: Generating /boot/initrd.img-6.1.0-18-amd64
[ 98%] Building CXX object CMakeFiles/ringlab_engine.dir/sync/sgd.cpp.o
[100%] Linking CXX executable ringlab-train
-- Found Torch: /usr/lib/x86_64-linux-gnu/libtorch.so
-- Performing Test HAVE_CXX17 - Success
Collecting torch==2.3.1
  Downloading torch-2.3.1-cp311-cp311-manylinux1_x86_64.whl (779.2 MB)
     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 779.2/779.2 MB 1.6 MB/s eta 0:00:00
Requirement already satisfied: numpy in /usr/lib/python3/dist-packages (1.26.4)
Installing collected packages: nvidia-nccl-cu12, torch
Successfully installed torch-2.3.1
  Building wheel for antlr4 (setup.py) ... done
WARNING: Running pip as the 'root' user can result in broken permissions and conflicting behaviour with the system package manager.
[notice] A new release of pip is available: 23.2.1 -> 24.0
Resolved 28 packages in 312ms
Prepared 28 packages in 41.20s
Installed 28 packages in 388ms
Collecting package metadata (current_repodata.json): done
Solving environment: done
Preparing transaction: done
conda-forge/linux-64                                        Using cache
Cloning into 'pytorch-examples'...
Receiving objects: 100% (4321/4321), 41.02 MiB | 8.11 MiB/s, done.
Warning: Permanently added '10.0.0.5' (ED25519) to the list of known hosts.
Last login: Mon Nov 23 09:12:44 2026 from 10.0.0.9`;

const kernel = String.raw`[    0.000000] Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0)
[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-6.1.0-18-amd64 root=UUID=1 ro quiet
[    0.000000] secureboot: Secure boot disabled
[    1.201211] usb 1-1: new high-speed USB device number 2 using xhci_hcd
[    1.912001] EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.
[    2.001912] systemd[1]: Started systemd-journald.service - Journal Service.
[    3.110021] nvidia: loading out-of-tree module taints kernel.
[    3.110030] nvidia: module license 'NVIDIA' taints kernel.
[    3.201133] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024
[    3.390212] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  535.183.01
[    3.402100] [drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:01:00.0 on minor 1
[    4.011121] e1000e 0000:00:1f.6 eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None
[    5.880112] IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready
[   12.400231] audit: type=1400 audit(1700000000.1:12): apparmor="STATUS" operation="profile_load"
[   60.113201] process 'ringlab-train' launched '/bin/sh' with NULL argv: empty string added
[  120.552210] docker0: port 1(veth1) entered forwarding state
[ 3600.012991] perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750
[ 4012.110021] nvidia-uvm: Loaded the UVM driver, major device number 236.
Nov 23 10:00:01 n1 CRON[2711]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)
Nov 23 10:00:03 n1 sshd[2720]: Accepted publickey for anna from 10.0.0.9 port 51022 ssh2: ED25519 SHA256:abc
Nov 23 10:01:12 n1 systemd[1]: apt-daily.service: Deactivated successfully.
Nov 23 10:01:12 n1 kernel: wireguard: WireGuard 1.0.0 loaded. See www.wireguard.com for information.
| NVIDIA-SMI 535.183.01             Driver Version: 535.183.01   CUDA Version: 12.2     |
|   0  NVIDIA GeForce RTX 3080        On  | 00000000:01:00.0 Off |                  N/A |
| 30%   41C    P8              15W / 320W |      3MiB / 10240MiB |      0%      Default |
|  No running processes found                                                           |`;

/** As posted beside failures. */
const posted: readonly string[] = [
  'nvidia: loading out-of-tree module taints kernel.',
  '[  158.410772] nvidia: module verification failed: signature and/or required key missing - tainting kernel',
  '[ 1162.551804] PKCS#7 signature not signed with a trusted key',
  '[    6.198340] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.148.06  Mon May  5 11:36:21 UTC 2025',
  '[    6.911527] NVRM: GPU at 0000:02:00.0 has software scheduler ENABLED with policy BEST_EFFORT.',
  'nvidia-nvlink: Nvlink Core is being initialized, major device number 234',
  'warning: the compiler differs from the one used to build the kernel',
  ' - No original module exists within this kernel',
  "DKMS module 'nvidia-367.35' already added, skipping.",
  'Skipping kernel-4.0.9_1. kernel-headers package not installed...',
  'update-initramfs: deferring update (trigger activated)',
  'kernelstub.Installer : INFO     No old kernel found, skipping',
  '[    8.773015] r8169 0000:84:00.0: invalid VPD tag 0xff (size 0) at offset 0; assume missing optional EEPROM',
  'Feb 14 05:10:12 node1 kernel: workqueue: ib_cache_event_task [ib_core] hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND',
  'Feb 14 05:10:12 node1 systemd[1]: systemd-pcrmachine.service - TPM2 PCR Machine ID Measurement was skipped because of an unmet condition check (ConditionSecurity=measured-uki).',
  'Feb 14 05:10:12 node1 kernel: EXT4-fs (md127p3): re-mounted 00000000-0000-4000-8000-000000000001 r/w. Quota mode: none.',
  'Emulate Docker CLI using podman. Create /etc/containers/nodocker to quiet msg.',
  '| Fan  Temp  Perf            Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |',
  '|-------------------------------+----------------------+----------------------+',
  'GPU 1: Tesla T4 (UUID: GPU-00000000-0000-4000-8000-000000000002)',
  'node1:870:870 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory',
  'node1:870:870 [0] NCCL INFO NET/Plugin : No plugin found, using internal implementation',
  'node1:1502:1570 [0] NCCL INFO Call to connect returned Connection refused, retrying',
  'node1:1460:1528 [0] misc/ibvwrap.cc:63 NCCL WARN Failed to open libibverbs.so[.1]',
  'node1:99:178 [0] NCCL INFO comm 0x7ff1ec002080 rank 0 nranks 2 cudaDev 0 busId 100000 - Init COMPLETE',
  'node1:9872:9881 [6] NCCL INFO NCCL_IB_TIMEOUT set by environment to 18.',
  'node1:22560:22560 [1] NCCL INFO threadThresholds 8/8/64 | 32/8/64 | 512 | 512',
  '2022-05-10 06:02:11 | INFO | torch.distributed.distributed_c10d | Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)',
  'W0302 19:02:11.114000 4120 site-packages\\torch\\distributed\\elastic\\multiprocessing\\redirects.py:29] NOTE: Redirects are currently not supported in Windows or MacOs.',
  'Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed.',
  'and will be removed in future. Use torchrun.',
  '[10/29 16:41:20 d2.data.build]: Removed 0 images with no usable annotations. 15214 images left.',
  'ERROR:root:LOADED MY CHECKPOINT',
  'ERROR:root:N LINES IN boston-seaport 2846',
  '2019-10-04 15:31:07,102 - INFO - Epoch [5][450/1284]    lr: 0.00800, eta: 1:53:02, time: 0.661, data_time: 0.031, memory: 9804, losses/ttfnet_loss_heatmap: 2.0114, losses/ttfnet_loss_wh: 3.2190, loss: 5.2304',
  '[INFO|trainer.py:1739] 2023-12-28 21:04:33,410 >>   Will skip the first 0 epochs then the first 34000 batches in the first epoch.',
  'xFormers not available',
  '2022-03-29 10:41:12.044 | INFO     | __main__:main:334 - loading checkpoint',
  '  5%|▌         | 27.4M/548M [00:00<00:14, 37.8MB/s]',
  '100%|████████████████████| 20/20 [00:04<00:00,  4.91it/s]',
  'Hit:3 http://archive.ubuntu.com/ubuntu noble-backports InRelease',
  'Get:6 http://security.ubuntu.com/ubuntu noble-security InRelease [126 kB]',
  'Fetched 1,204 kB in 3s (401 kB/s)',
  'Reading state information... Done',
  '0 upgraded, 4 newly installed, 0 to remove and 31 not upgraded.',
  'Need to get 0 B/74.2 MB of archives.',
  'N: See apt-secure(8) manpage for repository creation and user configuration details.',
  'W: https://ppa.example.org/tools/ubuntu/dists/noble/InRelease: Signature by key 0A1B2C3D4E5F60718293A4B5C6D7E8F901234567 uses weak algorithm (rsa1024)',
  'W: Target Packages (main/binary-amd64/Packages) is configured multiple times in /etc/apt/sources.list:12 and /etc/apt/sources.list.d/extra.list:1',
  'WARNING: apt does not have a stable CLI interface. Use with caution in scripts.',
  'EXT4-fs (nvme0n1p3): re-mounted. Opts: errors=remount-ro. Quota mode: none.',
  'Selecting previously unselected package libcublas-dev.',
  'All apt locks are free.',
  'gpg: Total number processed: 1',
  "Warning: Permanently added 'node1' (ED25519) to the list of known hosts.",
  'debug1: load_hostkeys: fopen /etc/ssh/ssh_known_hosts: No such file or directory',
  'debug1: identity file /home/alice/.ssh/id_ecdsa type -1',
  'debug1: Authentications that can continue: publickey',
  'debug1: Authentication succeeded (publickey).',
  'debug1: compat_banner: no match: 7f3c210',
  'remote: Total 512 (delta 44), reused 96 (delta 31), pack-reused 416',
  'remote: Compressing objects: 100% (214/214), done.',
  'Resolving deltas: 100% (388/388), done.',
  'Using CPython 3.12.9 interpreter at: /usr/bin/python3.12',
  'Resolved 61 packages in 1.84s',
  'DEBUG No cache entry for: https://mirror.example/simple/einops/',
  'Requirement already satisfied: nvidia-nccl-cu12==2.27.5 in ./venv/lib/python3.12/site-packages (from torch) (2.27.5)',
  'DeprecationWarning: Python 3.14 will, by default, filter extracted tar archives and reject files or modify their metadata. Use the filter argument to control this behavior.',
  '/usr/local/bin/pip3:6: DeprecationWarning: pkg_resources is deprecated as an API. See https://setuptools.pypa.io/en/latest/pkg_resources.html',
  '  Getting requirements to build wheel ... done',
  'info     libmamba No valid cache found',
  "info     libmamba Expired cache (or invalid mod/etag headers) found at '/home/alice/micromamba/pkgs'",
  'conda-forge/noarch                                  15.1MB @   9.8MB/s  1.6s',
  'Verifying transaction: done',
  'Allowing ninja to set a default number of workers... (overridable by setting the environment variable MAX_JOBS=N)',
  'ptxas info    : Used 96 registers, 0 bytes cumulative stack size',
  '-- Check for working CXX compiler: /usr/bin/c++ -- works',
  'submitit WARNING (2025-03-09 14:41:56,104) - Bypassing signal SIGCONT',
  "Note, selecting 'xserver-xorg-core' instead of './xserver-xorg-core_21.1.12-1_amd64.deb'",
  'Looking for server with pid: 40311',
  '[   41.250646] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  595.71.05  Release Build  (root@node1)  Fri Jul  3 11:27:00 AM UTC 2026',
  '[   28.108225] nvidia-nvlink: Nvlink Core is being initialized, major device number 237',
  '[83260.063863] nvidia 0000:1b:00.0: vgaarb: changed VGA decodes: olddecodes=none,decodes=none:owns=none',
  '| N/A   43C    P0             59W /  400W |       0MiB /  95830MiB |      0%      Default |',
  '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
  '| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |',
  '|=========================================+========================+======================|',
  'linux-image-6.17.1-surface-2 (6.17.1-surface-2) wird eingerichtet ...',
  'vhba-module/20211218, 6.17.1-surface-2, x86_64: built',
  'GPU 0: Tesla T4 (UUID: GPU-e78e68c0-4e6a-737e-f9cc-4223fe50ae00)',
  'GPU 00000000:C1:00.0 was successfully reset.',
  'time="2026-02-27T16:54:19Z" level=info msg="Waiting for change to \'nvidia.com/mig.config\' label"',
  'Skipping dcgm.service (disabled)',
  '  Normal   Pulled     86s (x26 over 6m37s)  kubelet            Container image "ubuntu:22.04" already present on machine',
  'node0:13571:13571 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory',
  'node0:13571:13571 [0] NCCL INFO NET/Plugin : No plugin found, using internal implementation',
  'node8:796:796 [1] NCCL INFO NET/IB : No device found.',
  'node8:796:796 [1] NCCL INFO NET/Socket : Using [0]enp67s0:192.0.2.8<0>',
  'node2:22556:22556 [1] NCCL INFO Connected all trees',
  'node2:22556:22556 [1] NCCL INFO threadThresholds 8/8/64 | 32/8/64 | 512 | 512',
  'node1:852750:852802 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.',
  'node5:35917:35917 [0] NCCL INFO Destroyed comm 0x7f24c4001af0 rank 4',
  ' Reducing maxBytes to 15534478677 due to memory limitation',
  'nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0',
  '[rank0]:[W404 00:15:21.693690333 ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect. Specify device_ids in barrier() to force use of a particular device, or call init_process_group() with a device_id.',
  'W1204 07:19:24.745000 18465 site-packages/torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed.',
  'W0302 19:39:39.186000 22436 torch/distributed/elastic/multiprocessing/redirects.py:27] NOTE: Redirects are currently not supported in Windows or MacOs.',
  '[INFO|2025-03-02 19:39:21] llamafactory.cli:157 >> Initializing distributed tasks at: 127.0.0.1:28133',
  'ggml_cuda_init: GGML_CUDA_FORCE_MMQ:    no',
  '  Device 0: GRID A100D-16C, compute capability 8.0, VMM: no',
  'Epoch: [0][447/1736]\t Loss 0.5504 MAE 0.6353 RMSE 0.7419',
  'ep 13 train, step 95, ctc_4 4.363, ctc_8 4.184, ctc 4.293, aed_ce 5.319, aed_fer 0.802, num_seqs 10, mem_usage:cuda:0 8.9GB, 0.750 sec/step',
  'Finished training it 960/306969 of epoch 0, 25.53 ms/it, loss 0.500798, accuracy 76.797 %',
  "{'eval_loss': 1.2023004293441772, 'eval_runtime': 0.4713, 'eval_samples_per_second': 2.122, 'eval_steps_per_second': 2.122, 'epoch': 0.29}",
  'Training Progress:   3%|▎         | 7/233 [11:56<6:25:43, 102.41s/it]',
  '/home/alice/transform.py:134: UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach() or sourceTensor.clone().detach().requires_grad_(True), rather than torch.tensor(sourceTensor).',
  'Loading checkpoint shards: 100%|██████████| 7/7 [00:08<00:00,  1.27s/it]',
  'Test Summary: | Pass  Error  Total',
  '  base        |    5             5',
  'max locked memory (kbytes, -l) unlimited',
  'Hit:6 http://mirror.example/debian-security trixie-security InRelease',
  'Get:10 https://packages.example.org/php trixie InRelease [7,547 B]',
  '0 upgraded, 1 newly installed, 0 to remove and 0 not upgraded.',
  'Warning: http://repo.example.org/debian/dists/bookworm/Release.gpg: Policy will reject signature within a year, see --audit for details',
  'Selecting previously unselected package apt-transport-https.',
  'gnupg set to manually installed.',
  'Done: 0 errors, 0 filesExist, 0 sizeExist, 0 sizeExistComp, 0 filesTotal, 0 sizeTotal, 0 filesNew, 0 sizeNew, 0 sizeNewComp, 2 inode',
  "info     libcurl  * Couldn't find host conda.anaconda.org in the .netrc file; using defaults",
  'info     libmamba No valid cache found',
  'warning  libmamba Could not parse mod/etag header',
  'conda-forge/linux-64                                        Using cache',
  'Preparing transaction: ...working... done',
  'entry_point.py:256: DeprecationWarning: Python 3.14 will, by default, filter extracted tar archives and reject files or modify their metadata. Use the filter argument to control this behavior.',
  'Resolved 81 packages in 2ms',
  'Audited 1 package in 1ms',
  'warning: `uv sync` is experimental and may change without warning.',
  'DEBUG No cache entry for: https://mirror.example/simple/seaborn/',
  '      Successfully uninstalled pip-23.0.1',
  "DEPRECATION: Could not build wheels for pycld3 which do not use PEP 517. pip will fall back to legacy 'setup.py install' for these. pip 21.0 will remove support for this functionality. A possible replacement is to fix the wheel build issue reported above. You can find discussion regarding this at https://github.com/pypa/pip/issues/8368.",
  '   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2.1/2.1 MB 15.7 MB/s eta 0:00:00',
  "UserWarning: The detected CUDA version (12.6) has a minor version mismatch with the version that was used to compile PyTorch (12.8). Most likely this shouldn't be a problem.",
  '-- Performing Test CMAKE_HAVE_LIBC_PTHREAD - Failed',
  '-- Looking for pthread_create in pthreads - not found',
  '[ 30%] Building CUDA object ggml/src/ggml-cuda/CMakeFiles/ggml-cuda.dir/template-instances/fattn-vec-instance-q5_1-q4_0.cu.o',
  "Warning: Permanently added '[198.51.100.7]:13513' (ED25519) to the list of known hosts.",
  'debug1: key_load_public: No such file or directory',
  'debug1: identity file /home/alice/.ssh/id_dsa-cert type -1',
  'remote: Counting objects: 100% (84/84), done.',
  'warning: CRLF will be replaced by LF in .github/ISSUE_TEMPLATE/Bug_report.md.',
  "Already on 'master'",
  '100 84.8M  100 84.8M    0     0  11.6M      0  0:00:07  0:00:07 --:--:-- 11.9M',
  'salloc: Nodes gpu002 are ready for job',
  "Submitted job 7 with external jobid 'Submitted batch job 229282'.",
  '  Normal   Scheduled              9m27s                  default-scheduler   Successfully assigned train/demo-1-4pcrw to 192.0.2.55',
  'wandb: W&B API key is configured (use `wandb login --relogin` to force relogin)',
  'W&B offline. Running your script from this directory will only write metadata locally. Use wandb disabled to completely turn off W&B.',
  "Some weights of Qwen2ForSequenceClassification were not initialized from the model checkpoint at Qwen/Qwen2-0.5B-Instruct and are newly initialized: ['score.weight']",
  "FutureWarning: The `HF_HUB_ENABLE_HF_TRANSFER` environment variable is deprecated as 'hf_transfer' is not used anymore. Please use `HF_XET_HIGH_PERFORMANCE` instead to enable high performance transfer with Xet.",
  'TPU available: False, using: 0 TPU cores',
  'WARNING:root:Torch version 2.8.0+cu128 has not been tested with coremltools. You may run into unexpected errors. Torch 2.5.0 is the most recent version that has been tested.',
  'Looking in indexes: https://mirror.example/simple, https://download.pytorch.org/whl/cu128',
  'Collecting package metadata (current_repodata.json): done',
  'Solving environment: unsuccessful attempt using repodata from current_repodata.json, retrying with next repodata source.',
  '==> WARNING: A newer version of conda exists. <==',
  'Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed.',
  'INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous complete for workers. Result:',
  'master_addr is only used for static rdzv_backend and when rdzv_endpoint is not specified.',
  'W1107 10:14:31.880000 8471214102 torch/distributed/elastic/multiprocessing/redirects.py:28] NOTE: Redirects are currently not supported in Windows or MacOs.',
  'ERROR 2021-07-15T20:41:03.923195      24/99     2.57G   0.01861   0.01540   0.06881    0.1028        26       832:  61%|#| 1142/1860 [04:42<03:03,  3.90it/s]',
  'wandb: Network error resolved after 0:00:07.103, resuming normal operation.',
  '0 upgraded, 0 newly installed, 0 to remove and 12 not upgraded.',
  'update-initramfs: deferring update (trigger activated)',
  'xserver-xorg-core is already the newest version (2:21.1.12-1ubuntu1).',
  'WARNING: apt does not have a stable CLI interface. Use with caution in scripts.',
  'DEBUG Found stale response for: https://mirror.example/simple/torch/',
  'DEBUG Selecting: torch==2.6.0 [compatible] (torch-2.6.0-cp312-cp312-manylinux1_x86_64.whl)',
  'remote: Compressing objects: 100% (5174/5174), done.',
  'Receiving objects: 100% (240138/240138), 210.85 MiB | 22.62 MiB/s, done.',
  '| NVIDIA-SMI 535.183.01             Driver Version: 535.183.01   CUDA Version: 12.2     |',
  '| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |',
  '| N/A   41C    P0    26W /  70W |      0MiB / 15109MiB |      0%      Default |',
  'node1:36748:36748 [0] NCCL INFO Using network IB',
  'node1:36749:36749 [1] NCCL INFO ncclCommInitRank comm 0xb352a70 rank 1 nranks 8 cudaDev 1 nvmlDev 1 busId 9000 commId 0x551d06754c6bacf2 - Init START',
  'node1:36754:36754 [6] NCCL INFO Using non-device net plugin version 0',
  'iter:  140/3000   5% | loss: 16.1469 | iter time: 1.041s | iter tflops: 905.8 | lr: 8.667E-04 | seqlen: 16.38K | epoch: 0 | MA 2.84 GB | Max_MA 28.95 GB | NV 51.92 GB',
  '  Preparing metadata (setup.py) ... done',
  'Requirement already satisfied: torch in ./venv/lib/python3.11/site-packages (from flash-attn) (2.6.0+cu124)',
  'Building wheels for collected packages: flash-attn',
  'Defaulting to user installation because normal site-packages is not writeable',
  'total size is 7,360  speedup is 11.48',
  '  Normal   Pulled     18s               kubelet            Container image "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.8.0" already present on machine',
  'Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s',
  '  Type     Reason            Age   From               Message',
  '  FutureWarning: torch.cuda.reset_max_memory_allocated now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats.',
  '12/09 06:59:23 - mmengine - INFO - Saving checkpoint at 15 epochs',
  '09:47:30 INFO | saving model checkpoint: models/run3/model.checkpoint',
  'Extract Features: [968/1206]\tTime 0.058 (0.058)\tData 0.003 (0.004)\t',
  'WARNING: BNB_CUDA_VERSION=124 environment variable detected; loading libbitsandbytes_cuda124.so.',
  'CUDA SETUP: Highest compute capability among GPUs detected: 8.6',
  'kernelstub.Installer : INFO     No old kernel found, skipping',
];

/** One line each, at least 100. */
export const ordinaryLines: readonly string[] = [
  ...[training, installing, kernel].flatMap((text) => text.split('\n')),
  ...posted,
];
