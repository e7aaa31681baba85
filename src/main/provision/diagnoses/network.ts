/** Failures of the network to and between the nodes: names, ports, NCCL, Gloo, SSH. */
import type { Diagnosis } from './diagnosis.ts';

export const networkDiagnoses: readonly Diagnosis[] = [
  {
    code: 'rank.port_in_use',
    patterns: [
      /failed to bind to \S+:(?<port>\d+) \(errno: 98 - Address already in use\)/,
      /EADDRINUSE/,
      /(?:bind|listen).*Address already in use/i,
    ],
    action: 'other_port',
  },
  {
    code: 'rank.clients_missing',
    patterns: [
      /Timed out after \d+ seconds waiting for clients\. (?<joined>\d+)\/(?<world>\d+) clients joined/,
    ],
    action: 'retry',
  },
  {
    code: 'rank.master_unreachable',
    patterns: [
      /client socket has timed out after \d+s while trying to connect to \((?<host>[^,]+), (?<port>\d+)\)/,
      /client socket has failed to connect to (?:any network address of )?\(?\[?(?<host>[^\],]+)\]?[,:] ?(?<port>\d+)\)?/,
    ],
    action: 'retry',
  },
  {
    code: 'rank.peer_closed',
    patterns: [
      /Connection closed by peer \[(?<peer>[^\]]+)\]/,
      /Read error \[(?<peer>[^\]]+)\]\S*: Connection reset by peer/,
      /Application timeout caused pair closure/,
    ],
  },
  {
    code: 'gloo.interface',
    patterns: [/Unable to find address for: (?<interface>\S+)/, /gloo.*(?:ifa|No such device)/i],
  },
  {
    code: 'nccl.interface',
    patterns: [/NCCL WARN Bootstrap : no socket interface found/],
  },
  {
    code: 'nccl.duplicate_gpu',
    patterns: [
      /Duplicate GPU detected : rank (?<a>\d+) and rank (?<b>\d+) both on CUDA device (?<device>\S+)/,
    ],
  },
  {
    code: 'nccl.timeout',
    patterns: [/Watchdog caught collective operation timeout: WorkNCCL\(.*OpType=(?<operation>\w+)/],
    action: 'retry',
  },
  {
    code: 'nccl.connect',
    patterns: [
      /NCCL WARN (?:socketStartConnect: |ncclSocketInit: )?Connect to (?<peer>\S+) failed ?: ?(?<reason>.+)$/,
      /NCCL WARN .*socketProgressOpt: Call to recv from (?<peer>\S+) failed ?: ?(?<reason>.+)$/,
    ],
  },
  {
    code: 'nccl.system_error',
    patterns: [
      /ncclSystemError: System call \(e\.g\. socket, malloc\)/,
      /ncclUnhandledCudaError/,
      /ncclRemoteError/,
    ],
  },
  {
    code: 'network.offline',
    patterns: [
      /Cannot initiate the connection to (?<host>\S+?):\d+ .*\((?:101: )?Network is unreachable\)/,
      /curl: \(7\) Failed to connect to (?<host>\S+) port \d+.*(?:Network is unreachable|Couldn't connect)/,
    ],
    action: 'lend_internet',
  },
  {
    code: 'network.name',
    patterns: [
      /Temporary failure (?:in name resolution|resolving '(?<host>[^']+)')/,
      /Could not resolve host: (?<host>\S+)/,
      /Name or service not known/,
      /Could not resolve '(?<host>[^']+)'/,
    ],
    action: 'lend_internet',
  },
  {
    code: 'network.no_route',
    patterns: [/No route to host/, /Network is unreachable/],
    action: 'retry',
  },
  {
    code: 'ssh.host_key_changed',
    patterns: [/REMOTE HOST IDENTIFICATION HAS CHANGED/],
  },
  {
    code: 'ssh.throttled',
    patterns: [
      /kex_exchange_identification: (?:Connection closed by remote host|read: Connection reset by peer)/,
      /ssh_exchange_identification: Connection closed/,
      /Exceeded MaxStartups/,
    ],
    action: 'retry',
  },
  {
    code: 'ssh.denied',
    patterns: [/Permission denied \((?<methods>publickey[^)]*|password[^)]*|keyboard-interactive[^)]*)\)/],
  },
];
