/** For tests: failures between ranks, from public threads: NCCL, Gloo, c10d's store, torchrun's children. */
import type { Posted } from './posted.ts';

export const postedByRanks: readonly Posted[] = [
  [
    'nccl.connect',
    'NVIDIA/nccl-tests#166',
    'n1:39964:40075 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.2<45763> failed : Software caused connection abort\nn1:39964:40075 [0] NCCL INFO misc/socket.cc:564 -> 2',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl-tests#166',
    'n1:39964:40044 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n2<57557>\nn1:39964:40044 [0] NCCL INFO misc/socket.cc:749 -> 6',
  ],
  [
    'nccl.connect',
    'NVIDIA/nccl-tests#15',
    'n1:18553:18611 [0] include/socket.h:360 WARN Call to connect failed : Connection timed out\nn1:18553:18611 [0] INFO transport/net_socket.cu:118 -> 2',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl-tests#15',
    'n1:18553:18612 [0] include/socket.h:371 WARN Connection closed by remote peer\nn1:18553:18612 [0] INFO transport/net_socket.cu:166 -> 2',
  ],
  [
    'nccl.system_error',
    'NVIDIA/nccl#975',
    'ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.',
  ],
  [
    'nccl.system_error',
    'NVIDIA/nccl#834',
    'ncclSystemError: System call (socket, malloc, munmap, etc) failed.',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl#795',
    'n22:183006:183220 [1] misc/socket.cc:518 NCCL WARN Net : Call to recv from 192.0.2.247<58355> failed : Broken pipe\nn22:183006:183220 [1] NCCL INFO misc/socket.cc:535 -> 6',
  ],
  [
    'nccl.peer_closed',
    'NVIDIA/nccl#795',
    'n22:183006:183181 [1] misc/socket.cc:538 NCCL WARN Net : Connection closed by remote peer n22.example<47861>',
  ],
  [
    'nccl.invalid_usage',
    'NVIDIA/nccl#1241',
    'NCCL error in: /opt/pytorch/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1287, invalid usage, NCCL version 2.17.1\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.',
  ],
  ['nccl.invalid_usage', 'vllm-project/vllm#427', 'what(): NCCL Error 5: invalid usage'],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#1405',
    'n0:3468:3905 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer 192.0.2.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv)\nn0:3468:3905 [4] NCCL INFO transport/net.cc:1302 -> 6',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#1129',
    'n8:6561:6600 [0] misc/ibvwrap.cc:280 NCCL WARN Call to ibv_create_qp failed',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#928',
    'n2:19989:20082 [1] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer fe80::1%ib0<53249> with error 4, opcode 32564, len 32564, vendor err 81 (Send)',
  ],
  [
    'nccl.infiniband',
    'NVIDIA/nccl#1664',
    'NET/IBP:Got completion from peer 192.0.2.83<36315> with status=12 opcode=32698 len=32696 vendor err 129 (Send)',
  ],
  [
    'gloo.connect',
    'sehoffmann/dmlcloud#47',
    '    backend_class = ProcessGroupGloo(\nRuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.h:301] Connect timeout [none]',
  ],
  [
    'gloo.connect',
    'sgl-project/sglang#3226',
    'RuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error',
  ],
  [
    'gloo.connect',
    'pytorch/pytorch#15592',
    "terminate called after throwing an instance of 'gloo::IoException'\n  what():  [/opt/conda/conda-bld/pytorch_1544084119927/work/third_party/gloo/gloo/transport/tcp/pair.cc:724] connect [127.0.1.1]:3210: Connection refused",
  ],
  [
    'rank.peer_closed',
    'pytorch/pytorch#132644',
    '[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:525] Read error [127.0.1.1]:42417: Connection reset by peer',
  ],
  [
    'rank.peer_closed',
    'pytorch/pytorch#75512',
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [192.0.2.30]:28048',
  ],
  [
    'rank.store_timeout',
    'pytorch/gloo#148',
    '    _default_pg = ProcessGroupGloo(store, rank, world_size)\nRuntimeError: Wait timeout',
  ],
  [
    'rank.store_timeout',
    'pytorch/pytorch#55571',
    'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nRuntimeError: Socket Timeout',
  ],
  [
    'rank.store_timeout',
    'pytorch/pytorch#131808',
    'DistStoreError: wait timeout after 100ms, keys: /the_key',
  ],
  [
    'rank.store_timeout',
    'pytorch/pytorch#107177',
    "RuntimeError: [6] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
  ],
  [
    'rank.clients_missing',
    'pytorch/pytorch#111805',
    'torch.distributed.DistStoreError: Timed out after 6 seconds waiting for workers. 1/2 workers joined.',
  ],
  [
    'rank.port_in_use',
    'meta-llama/llama-models#210',
    'RuntimeError: The server socket has failed to listen on any local network address. useIpv6: 0, code: -48, name: EADDRINUSE, message: address already in use',
  ],
  [
    'rank.port_in_use',
    'showlab/Tune-A-Video#90',
    'RuntimeError: The server socket has failed to listen on any local network address. The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use). The server socket has failed to bind to 0.0.0.0:29500 (errno: 98 - Address already in use).',
  ],
  [
    'rank.port_in_use',
    'meta-pytorch/torchtune#1025',
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. The server socket has failed to bind to ?UNKNOWN? (errno: 98 - Address already in use).',
  ],
  [
    'rank.port_in_use',
    'hunto/DIST_KD#10',
    '[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:25641 (errno: 98 - Address already in use).\n[E socket.cpp:462] [c10d] The server socket has failed to listen on any local network address.',
  ],
  ['rank.port_in_use', 'meta-pytorch/torchft#30', 'RuntimeError: Address already in use (os error 98)'],
  [
    'elastic.killed',
    'OpenBMB/MiniCPM-V#770',
    'torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: -9) local_rank: 0 (pid: 1322) of binary: /opt/conda/bin/python',
  ],
  [
    'elastic.killed',
    'lmzpai/roboMamba#10',
    'E0325 20:57:27.620000 2606 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 5 (pid: 2630) of binary: /opt/conda/bin/python',
  ],
  [
    'elastic.killed',
    'lzhxmu/CPPO#6',
    '  rank      : 0 (local_rank: 0)\n  exitcode  : -9 (pid: 14750)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 14750',
  ],
  [
    'elastic.killed',
    'zai-org/ChatGLM2-6B#520',
    'Loading checkpoint shards:  57% 4/7 [00:40<00:29,  9.96s/it]ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 0 (pid: 31631) of binary: /usr/bin/python3',
  ],
  [
    'elastic.child_failed',
    'Facico/Chinese-Vicuna#113',
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 1622990) of binary: /opt/conda/bin/python',
  ],
  [
    'elastic.child_failed',
    'hiyouga/LlamaFactory#163',
    'stderr: WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 153930 closing signal SIGTERM\nstderr: ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 7 (pid: 153932) of binary: /opt/conda/bin/python',
  ],
  [
    'elastic.crashed',
    'Vision-CAIR/MiniGPT-4#237',
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 0 (pid: 16) of binary: /opt/conda/bin/python',
  ],
];
