/** Failures of NCCL. */
import type { Diagnosis } from './diagnosis.ts';

export const ncclDiagnoses: readonly Diagnosis[] = [
  {
    code: 'nccl.interface',
    patterns: [
      /WARN Bootstrap : no socket interface found/,
      /WARN .*No interface found starting with (?<interface>\S+)/,
      /Bootstrap : no socket interface found/,
      /No usable listening interface found/,
      /ncclSocketInit: connecting to address .* with family \d+ is neither/,
    ],
  },
  {
    code: 'nccl.duplicate_gpu',
    patterns: [
      /Duplicate GPU detected : rank (?<a>\d+) and rank (?<b>\d+) both on CUDA device (?<device>\S+)/,
      /Rank \[?(?<a>\d+)\]? and rank \[?(?<b>\d+)\]? both (?:attached to GPU device|on CUDA device) (?<device>\S+)/,
    ],
  },
  {
    code: 'nccl.mismatch',
    patterns: [
      /collective mismatch/,
      /Detected mismatch between collectives on ranks/,
      /Mismatched collective detected/,
    ],
  },
  {
    code: 'nccl.versions',
    patterns: [/Mismatched NCCL version detected/],
  },
  {
    code: 'nccl.topology',
    patterns: [/NCCL WARN .*Could not find real path of (?<path>\/sys\/\S+)/],
  },
  {
    code: 'nccl.infiniband',
    patterns: [
      /NET\/IB\w* ?: ?Got (?:completion|async event)/,
      /WARN .*\bibv_\w+ failed/,
      /NET\/IB : Unable to open device/,
      /NCCL WARN .*\b(?:ibv|NET\/IB)\b.*(?:failed|error)/,
    ],
  },
  {
    code: 'nccl.peer_closed',
    patterns: [
      /WARN .*Connection closed by remote peer (?<peer>\S+)/,
      /WARN .*Connection closed by remote peer/,
      /WARN .*Call to (?:recv|send|read|write)\b.*(?:Broken pipe|Connection reset by peer)/,
      /ncclRemoteError/,
      /Connection closed by remote peer (?<peer>\S+)/,
      /remote process exited or there was a network error/,
    ],
    followsFrom: ['nccl.infiniband'],
  },
  {
    code: 'nccl.connect',
    patterns: [
      /WARN .*Connect to (?<peer>\S+) (?:failed|returned) ?:? ?(?<reason>.+)$/,
      /WARN .*Call to connect (?:to (?<peer>\S+) )?(?:failed|returned) ?:? ?(?<reason>.+)$/,
      /WARN .*Call to (?:recv|send) (?:from|to) (?<peer>\S+) failed ?: ?(?<reason>.+)$/,
      /WARN .*Call to (?:recv|send|read|write|accept|poll) (?:failed|returned) ?:? ?(?<reason>.+)$/,
      /WARN .*connect to (?<peer>\S+) (?:failed|returned) ?:? ?(?<reason>.+)$/,
      /connect returned (?<reason>[^,]+), retrying \((?<tries>\d+)\/\k<tries>\)/,
    ],
  },
  {
    code: 'nccl.timeout',
    patterns: [
      /Timeout at NCCL work: \d+/,

      /Watchdog caught collective operation timeout: WorkNCCL\(.*OpType=(?<operation>\w+)/,
      /Watchdog caught collective operation timeout/,
      /Some NCCL operations have failed or timed out/,
      /NCCL communicator was aborted on rank/,
      /ProcessGroupNCCL's watchdog got stuck/,
      /ran for \d+ milliseconds before timing out/,
      /Received a dump signal due to a collective timeout/,
      /taking the entire process down/,
      /ProcessGroupNCCL.{0,60}\bwatchdog hang\b/,
      /Heartbeat monitor timed out/,
      /\(either an error or timeout\) detected by watchdog/,
    ],
    action: 'retry',
  },
  {
    code: 'nccl.invalid_usage',
    patterns: [
      /ncclInvalidUsage/,
      /\binvalid usage, NCCL version/,
      /NCCL Error 5: invalid usage/,
      /ncclInvalidArgument|\binvalid argument, NCCL version/,
    ],
    followsFrom: ['nccl.duplicate_gpu', 'nccl.versions'],
  },
  {
    code: 'nccl.cuda_error',
    patterns: [
      /WARN Cuda failure (?:\d+ )?'(?<reason>[^']+)'/,
      /ncclUnhandledCudaError/,
      /unhandled cuda error\b/,
    ],
    followsFrom: ['cuda.out_of_memory'],
  },
  {
    code: 'nccl.system_error',
    patterns: [
      /ncclSystemError/,
      /unhandled system error\b/,
      /NCCL [Ee]rror 2: unhandled system error/,
      /ncclInternalError/,
      /NCCL [Ee]rror 3: internal error/,
    ],
    followsFrom: [
      'nccl.connect',
      'nccl.peer_closed',
      'nccl.infiniband',
      'nccl.interface',
      'nccl.cuda_error',
      'data.shared_memory',
      'disk.full',
    ],
  },
  {
    code: 'nccl.not_built',
    patterns: [
      /Distributed package doesn't have (?<backend>NCCL|MPI|UCC)\s+built in/,
      /(?<backend>NCCL|MPI|UCC) (?:backend )?is not (?:available|built)/,
    ],
  },
  {
    code: 'nccl.cpu_tensor',
    patterns: [
      /No backend type associated with device type (?<device>\w+)/,
      /Tensors must be CUDA and dense/,
    ],
  },
];
