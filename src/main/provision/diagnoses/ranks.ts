/** Failures between ranks: c10d's store and ports, Gloo, DDP, and what torchrun says of its children. */
import type { Diagnosis } from './diagnosis.ts';

export const rankDiagnoses: readonly Diagnosis[] = [
  {
    code: 'rank.duplicate',
    patterns: [/Bootstrap Root : rank (?<rank>\d+) of \d+ ranks has already checked in/],
  },
  {
    code: 'rank.store_barrier',
    patterns: [
      /Timed out initializing process group in store based barrier .*world_size=(?<world>\d+), worker_count=(?<count>\d+)/,
    ],
    action: 'other_port',
  },
  {
    code: 'rank.no_libuv',
    patterns: [
      /PyTorch was build without libuv/,
      /use_libuv was requested but PyTorch was built without libuv/,
    ],
  },
  {
    code: 'ddp.other_model',
    patterns: [
      /DDP expects same model across all ranks/,
      /appears not to match (?:sizes|strides) of the same param in process/,
      /inconsistent \d+ params/,
    ],
  },
  {
    code: 'rank.port_in_use',
    patterns: [
      /The server socket has failed to (?:listen|bind)\b/,

      /failed to bind to \S+:(?<port>\d+) \(errno: 98 - Address already in use\)/,
      /EADDRINUSE/,
      /Address already in use/,
      /system error: 10048\b/,
      /Only one usage of each socket address/,
    ],
    action: 'other_port',
  },
  {
    code: 'rank.wrong_address',
    patterns: [/Cannot assign requested address/, /\bbind\b.*\berrno ?[=:] ?99\b/, /\bEADDRNOTAVAIL\b/],
  },
  {
    code: 'rank.clients_missing',
    patterns: [
      /Timed out after \d+ seconds waiting for (?:clients|workers)\. (?<joined>\d+)\/(?<world>\d+) (?:clients|workers) joined/,
    ],
    action: 'retry',
  },
  {
    code: 'rank.master_unreachable',
    patterns: [
      /RuntimeError: connect\(\) timed out/,

      /client socket has timed out after \d+(?:s|ms) while trying to connect to \((?<host>[^,]+), (?<port>\d+)\)/,
      /timed out after \d+(?:s|ms) while trying to connect to (?<host>[^\s():]+):(?<port>\d+)/,
      /connect\(\) timed out\. Original timeout was/,
      /client socket has failed to connect to (?:any network address of )?\(?\[?(?<host>[^\],]+)\]?[,:] ?(?<port>\d+)\)?/,
      /TCP client failed to connect\/validate to host (?<host>[^\s:]+):(?<port>\d+)/,
    ],
    action: 'retry',
  },
  {
    code: 'rank.not_launched',
    patterns: [
      /rendezvous: (?:rank|world[_ ]size|size) parameter missing/,
      /No rendezvous handler for /,

      /environment variable (?<name>\w+) expected, but not set/,
      /Default process group has not been initialized/,
      /KeyError: '(?<name>RANK|LOCAL_RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT)'/,
    ],
  },
  {
    code: 'rank.initialised_twice',
    patterns: [/trying to initialize the default process group twice/],
  },
  {
    code: 'rank.store_lost',
    patterns: [
      /store->get\('[^']*'\) got error: (?:Connection reset|Broken pipe|Connection closed)/,

      /(?:recvValue|recvVector|recvBytes|sendBytes)\w* failed on/,
      /failed to recv, got 0 bytes/,
      /Connection was likely closed\. Did the remote server shutdown or crash/,
      /TCPStore server has shut down too early/,
      /TCPStore\b.{0,120}(?:Broken pipe|Connection reset by peer|Connection closed)/,
    ],
  },
  {
    code: 'rank.store_timeout',
    patterns: [
      /wait timeout after (?<wait>\d+ms), keys: (?<key>\S+)/,
      /got error: (?:Socket Timeout|wait timeout)/,
      /(?:RuntimeError|DistStoreError|TimeoutError): (?:Socket|Wait) timeout/,
    ],
    action: 'retry',
  },
  {
    code: 'gloo.timeout',
    patterns: [
      /reached monitoredBarrier, but received errors/,

      /Timed out waiting \d+ms for (?:recv|send) operation to complete/,
      /gloo::TimeoutException/,
      /gloo\/transport\/\w+\/\w+\.cc:\d+\] (?:TIMEOUT|Timed out waiting)/,
      /failed to pass monitoredBarrier/,
    ],
    action: 'retry',
  },
  {
    code: 'gloo.connect',
    patterns: [
      /Gloo connectFullMesh failed with/,
      /gloo\/transport\/tcp\/\w+\.(?:cc|h):\d+\] (?:connect \[[^\]]+\]:\d+|Connect timeout)/,
      /gloo.*timed out connecting/,
      /gloo\/transport\/\S+\] .*\bconnect: /,
    ],
    action: 'retry',
  },
  {
    code: 'rank.peer_closed',
    patterns: [
      /Connection closed by peer \[(?<peer>[^\]]+)\]/,
      /(?:Read|Write) error \[(?<peer>[^\]]+)\]\S*: (?:Connection reset by peer|Broken pipe)/,
      /Application timeout caused pair closure/,
    ],
  },
  {
    code: 'gloo.address_family',
    patterns: [/\bss1\.ss_family == ss2\.ss_family\b/],
  },
  {
    code: 'gloo.interface',
    patterns: [
      /Unable to find address for: (?<interface>\S+)/,
      /gloo.*(?:ifa|No such device)/,
      /Unable to resolve hostname to a \(local\) address/,
      /makeDeviceFor(?:Hostname|Interface)\(\): /,
    ],
  },
  {
    code: 'ddp.unused_parameters',
    patterns: [
      /Expected to have finished reduction in the prior iteration before starting a new one/,
      /Parameter(?:s| indices) which did not receive grad/,
    ],
  },
  {
    code: 'elastic.rendezvous',
    patterns: [/\bRendezvous(?:Connection|Timeout|Closed|State)Error\b/, /\bRendezvous\w*Error\b/],
    action: 'retry',
    followsFrom: ['rank.port_in_use', 'rank.master_unreachable', 'network.name'],
  },
  {
    code: 'elastic.killed',
    patterns: [
      /exitcode\s*: -9\b/,
      /Signal 9 \(SIGKILL\) received by PID (?<pid>\d+)/,
      /terminated with signal SIGKILL/,
      /exited with (?:exit code|code|signal):? -?9\b/,
    ],
    action: 'halve_batch',
    followsFrom: ['memory.killed'],
  },
  {
    code: 'elastic.crashed',
    patterns: [
      /exitcode\s*: -(?:4|6|7|8|11)\b/,
      /Signal \d+ \((?:SIGSEGV|SIGABRT|SIGBUS|SIGFPE|SIGILL)\) received by PID/,
      /terminated with signal (?:SIGSEGV|SIGABRT|SIGBUS|SIGFPE|SIGILL)/,
    ],
    followsFrom: 'any',
  },
  {
    code: 'rank.local_rank_argument',
    patterns: [/unrecognized arguments: .*--local[-_]rank/],
  },
  {
    code: 'ddp.devices',
    patterns: [
      /DistributedDataParallel(?:'s)?\s+device_ids and output_device arguments only work with/,
      /module must have its parameters and buffers on device cuda/,
    ],
  },
  {
    code: 'gloo.unsupported',
    patterns: [
      /ProcessGroupGloo does not support (?<operation>\S+)/,
      /[Bb]ackend gloo does not support (?<operation>\S+)/,
      /Unsupported device type for (?:gloo|\S+) (?:backend|operation)/,
    ],
  },
  {
    code: 'ddp.marked_twice',
    patterns: [/Expected to mark a variable ready only once/, /has been marked as ready twice/],
  },
];

/** What is left when nothing says why a rank ended. */
export const generalRankDiagnoses: readonly Diagnosis[] = [
  {
    code: 'elastic.stopped',
    patterns: [
      /SignalException: Process \d+ got signal: (?<signal>\d+)/,
      /Received (?<signal>\d+) death signal/,
      /exitcode\s*: -(?:1|2|15)\b/,
      /Signal \d+ \((?:SIGTERM|SIGHUP|SIGINT)\) received by PID/,
    ],
    followsFrom: 'any',
  },
  {
    code: 'elastic.child_failed',
    patterns: [
      /process \d+ terminated with exit code [1-9]/,

      /DUE TO TASK FAILURE/,
      /\bMPI_ABORT was invoked on rank\b/,

      /failed \(exitcode: \d+\) local_rank: (?<local>\d+)/,
      /ChildFailedError/,
      /ProcessRaisedException/,
      /\bexitcode\s*: [1-9]\d* \(pid: \d+\)/,
      /srun: error: \S+: tasks? [\d,-]+: Exited with exit code/,
    ],
    followsFrom: 'any',
  },
];
