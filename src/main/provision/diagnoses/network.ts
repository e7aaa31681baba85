/** The network between the nodes, and to them: names, ports, NCCL, Gloo, SSH. */
import type { Diagnosis } from './diagnosis.ts';

export const networkDiagnoses: readonly Diagnosis[] = [
  {
    code: 'rank.port_in_use',
    patterns: [
      /failed to bind to \S+:(?<port>\d+) \(errno: 98 - Address already in use\)/,
      /EADDRINUSE/,
      /(?:bind|listen).*Address already in use/i,
    ],
    cause: {
      en: 'Another program listens on rank 0’s port; often an earlier run that still lives.',
      'zh-CN': 'rank 0 的端口被占用，常为尚未结束的旧实验。',
    },
    remedy: {
      en: 'Choose another port, or end the old process (`ss -ltnp` names it).',
      'zh-CN': '更换端口，或结束旧进程（`ss -ltnp` 可查看）。',
    },
    action: 'other_port',
  },
  {
    code: 'rank.clients_missing',
    patterns: [
      /Timed out after \d+ seconds waiting for clients\. (?<joined>\d+)\/(?<world>\d+) clients joined/,
    ],
    cause: {
      en: 'Only {joined} of {world} ranks came.',
      'zh-CN': '{world} 个 rank 中只有 {joined} 个加入。',
    },
    remedy: {
      en: 'See the log of the ranks that are missing: they did not start, or cannot reach rank 0’s address and port.',
      'zh-CN': '查看缺席 rank 的日志：未启动，或无法访问 rank 0 的地址和端口。',
    },
    action: 'retry',
  },
  {
    code: 'rank.master_unreachable',
    patterns: [
      /client socket has timed out after \d+s while trying to connect to \((?<host>[^,]+), (?<port>\d+)\)/,
      /client socket has failed to connect to (?:any network address of )?\(?\[?(?<host>[^\],]+)\]?[,:] ?(?<port>\d+)\)?/,
    ],
    cause: {
      en: 'Rank 0 does not answer at {host}, port {port}: it did not start, a firewall is between, or the address is not the one others reach.',
      'zh-CN': 'rank 0（{host}:{port}）无应答：未启动、被防火墙阻挡，或地址对其他节点不可达。',
    },
    remedy: {
      en: 'Open the port, and use an address of the network that joins the nodes, not 127.0.1.1 from /etc/hosts.',
      'zh-CN': '开放端口，并使用节点间网络的地址，而非 /etc/hosts 中的 127.0.1.1。',
    },
    action: 'retry',
  },
  {
    code: 'rank.peer_closed',
    patterns: [
      /Connection closed by peer \[(?<peer>[^\]]+)\]/,
      /Read error \[(?<peer>[^\]]+)\]\S*: Connection reset by peer/,
      /Application timeout caused pair closure/,
    ],
    cause: {
      en: 'Another rank ended or was cut off; this one only suffers from it.',
      'zh-CN': '另一个 rank 退出或断线，此处只是受其影响。',
    },
    remedy: {
      en: 'The cause is in the log of the rank that ended first.',
      'zh-CN': '原因见最先退出的 rank 的日志。',
    },
  },
  {
    code: 'gloo.interface',
    patterns: [/Unable to find address for: (?<interface>\S+)/, /gloo.*(?:ifa|No such device)/i],
    cause: {
      en: 'The network interface {interface} does not exist on this node, or has no address.',
      'zh-CN': '此节点没有网络接口 {interface}，或其没有地址。',
    },
    remedy: {
      en: 'Leave the choice to Ringlab, or name an interface that `ip -br addr` shows.',
      'zh-CN': '交由 Ringlab 选择，或填写 `ip -br addr` 显示的接口。',
    },
  },
  {
    code: 'nccl.interface',
    patterns: [/NCCL WARN Bootstrap : no socket interface found/],
    cause: {
      en: 'NCCL found no network interface of the name in NCCL_SOCKET_IFNAME.',
      'zh-CN': 'NCCL 未找到 NCCL_SOCKET_IFNAME 指定的网络接口。',
    },
    remedy: {
      en: 'Unset NCCL_SOCKET_IFNAME, or name an interface that `ip -br addr` shows.',
      'zh-CN': '取消 NCCL_SOCKET_IFNAME，或填写 `ip -br addr` 显示的接口。',
    },
  },
  {
    code: 'nccl.duplicate_gpu',
    patterns: [
      /Duplicate GPU detected : rank (?<a>\d+) and rank (?<b>\d+) both on CUDA device (?<device>\S+)/,
    ],
    cause: {
      en: 'Ranks {a} and {b} use the same GPU, which NCCL does not allow.',
      'zh-CN': 'rank {a} 与 {b} 使用同一块 GPU，NCCL 不允许。',
    },
    remedy: {
      en: 'One rank a GPU: set the node’s number of GPUs to what it has, or use gloo.',
      'zh-CN': '每块 GPU 一个 rank：更正 GPU 数量，或使用 gloo。',
    },
  },
  {
    code: 'nccl.timeout',
    patterns: [/Watchdog caught collective operation timeout: WorkNCCL\(.*OpType=(?<operation>\w+)/],
    cause: {
      en: 'A rank waited in {operation} for one that never came: it hangs, died, or took another path through the code.',
      'zh-CN': '某 rank 在 {operation} 中等待另一个未到达的 rank：后者卡住、退出或执行了不同的代码路径。',
    },
    remedy: {
      en: 'Look which rank’s last step is the oldest; its log and its network say why.',
      'zh-CN': '找出最后一步最旧的 rank，其日志和网络会说明原因。',
    },
    action: 'retry',
  },
  {
    code: 'nccl.connect',
    patterns: [
      /NCCL WARN (?:socketStartConnect: |ncclSocketInit: )?Connect to (?<peer>\S+) failed ?: ?(?<reason>.+)$/,
      /NCCL WARN .*socketProgressOpt: Call to recv from (?<peer>\S+) failed ?: ?(?<reason>.+)$/,
    ],
    cause: { en: 'NCCL cannot speak to {peer}: {reason}.', 'zh-CN': 'NCCL 无法与 {peer} 通信：{reason}。' },
    remedy: {
      en: 'Open all ports between the nodes, and let NCCL use the interface that joins them (NCCL_SOCKET_IFNAME).',
      'zh-CN': '开放节点之间的全部端口，并让 NCCL 使用互联接口（NCCL_SOCKET_IFNAME）。',
    },
  },
  {
    code: 'nccl.system_error',
    patterns: [
      /ncclSystemError: System call \(e\.g\. socket, malloc\)/,
      /ncclUnhandledCudaError/,
      /ncclRemoteError/,
    ],
    cause: {
      en: 'NCCL failed below itself: the network, memory, or another rank.',
      'zh-CN': 'NCCL 在底层失败：网络、内存或其他 rank。',
    },
    remedy: {
      en: 'Run once with NCCL_DEBUG=INFO; the first “NCCL WARN” line names the cause.',
      'zh-CN': '设置 NCCL_DEBUG=INFO 再运行一次，首个“NCCL WARN”行指出原因。',
    },
  },
  {
    code: 'network.offline',
    patterns: [
      /Cannot initiate the connection to (?<host>\S+?):\d+ .*\((?:101: )?Network is unreachable\)/,
      /curl: \(7\) Failed to connect to (?<host>\S+) port \d+.*(?:Network is unreachable|Couldn't connect)/,
    ],
    cause: {
      en: 'The node seems to have no way into the internet: what this step downloads from does not answer.',
      'zh-CN': '节点似乎无法访问互联网：此步骤要下载的地址均无响应。',
    },
    remedy: {
      en: 'Lend it this computer’s connection while it is prepared: its downloads then go through an encrypted tunnel to here. Or give it a route, a name server or a proxy of its own.',
      'zh-CN': '在准备期间将本机的网络连接借给它：下载会经加密隧道由本机转发。也可为它配置路由、DNS 或代理。',
    },
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
    cause: {
      en: 'The node cannot turn the name into an address: it has no DNS, or no internet.',
      'zh-CN': '节点无法解析域名：没有 DNS 或没有互联网。',
    },
    remedy: {
      en: 'Check /etc/resolv.conf; on a closed testbed lend the node this computer’s connection while it is prepared.',
      'zh-CN': '检查 /etc/resolv.conf；在封闭试验床上可在准备期间借用本机网络。',
    },
    action: 'lend_internet',
  },
  {
    code: 'network.no_route',
    patterns: [/No route to host/, /Network is unreachable/],
    cause: {
      en: 'There is no way to that address, or a firewall refuses it.',
      'zh-CN': '无法到达该地址，或被防火墙拒绝。',
    },
    remedy: {
      en: 'Check the drawn links and routes (`ip route get ADDRESS`) and the firewall of that node.',
      'zh-CN': '检查连线与路由（`ip route get 地址`）以及对方防火墙。',
    },
    action: 'retry',
  },
  {
    code: 'ssh.host_key_changed',
    patterns: [/REMOTE HOST IDENTIFICATION HAS CHANGED/],
    cause: {
      en: 'The machine at this address is another one than before, or was reinstalled; or this is a man-in-the-middle attack.',
      'zh-CN': '此地址的机器已更换或重装，也可能有人在中间劫持。',
    },
    remedy: {
      en: 'Compare the fingerprint on the machine’s own console before you accept the new key.',
      'zh-CN': '接受新密钥前，请在机器本地控制台核对指纹。',
    },
  },
  {
    code: 'ssh.throttled',
    patterns: [
      /kex_exchange_identification: (?:Connection closed by remote host|read: Connection reset by peer)/,
      /ssh_exchange_identification: Connection closed/,
      /Exceeded MaxStartups/,
    ],
    cause: {
      en: 'The SSH server hung up before the login: too many connections at once, or this address is under a penalty.',
      'zh-CN': 'SSH 服务器在登录前断开：同时连接过多，或本机地址被限制。',
    },
    remedy: {
      en: 'Wait some minutes, then connect once; look for fail2ban or MaxStartups on the node.',
      'zh-CN': '等待几分钟后再连接一次；检查节点上的 fail2ban 或 MaxStartups。',
    },
    action: 'retry',
  },
  {
    code: 'ssh.denied',
    patterns: [/Permission denied \((?<methods>publickey[^)]*|password[^)]*|keyboard-interactive[^)]*)\)/],
    cause: {
      en: 'The login was refused; the server takes: {methods}.',
      'zh-CN': '登录被拒绝；服务器接受：{methods}。',
    },
    remedy: {
      en: 'Check the user name, and that the public key is in ~/.ssh/authorized_keys of that user.',
      'zh-CN': '检查用户名，以及公钥是否在该用户的 ~/.ssh/authorized_keys 中。',
    },
  },
];
