/** Failures on the way to other machines: routes, names, proxies, certificates. */
import type { Diagnosis } from './diagnosis.ts';

export const networkDiagnoses: readonly Diagnosis[] = [
  {
    code: 'network.rate_limited',
    patterns: [
      /429 (?:Client Error: )?Too Many Requests/,
      /HTTP (?:error |status )?(?:code )?429\b/,
      /\brate limit exceeded\b/,
      /\btoomanyrequests\b/,
    ],
    action: 'retry',
  },
  {
    code: 'network.offline',
    patterns: [
      /Cannot initiate the connection to (?<host>\S+?):\d+ .*\((?:101: )?Network is unreachable\)/,
      /curl: \(7\) Failed to connect to (?<host>\S+) port \d+.*(?:Network is unreachable|Couldn't connect)/,
      /Failed to establish a new connection: \[Errno 1(?:01|13)\]/,
      /Could not connect to (?<host>\S+?):\d+ .*[Cc]onnection timed out/,
      /Unable to connect to (?<host>\S+?):(?:https?|\d+):/,
    ],
    action: 'lend_internet',
  },
  {
    code: 'network.name',
    patterns: [
      /hostname of the client socket cannot be retrieved\. err=-[23]/,

      /Unable to resolve "(?<host>[^"]+)": (?:Unknown|Host)/,

      /(?<!sudo: unable to resolve host \S{1,64}: )Temporary failure (?:in name resolution|resolving '(?<host>[^']+)')/,
      /Could not resolve host: (?<host>\S+)/,
      /(?<!sudo: unable to resolve host \S{1,64}: )Name or service not known/,
      /Could not resolve '(?<host>[^']+)'/,
      /getaddrinfo (?:failed|ENOTFOUND)/,
      /failed to lookup address information/,
      /No address associated with hostname/,
      /unable to resolve host address/,
      /Could not resolve host(?:name)?:? (?<host>[^\s:]+)/,
      /\bEAI_AGAIN\b/,
      /lookup (?<host>\S+)(?: on \S+)?: (?:no such host|server misbehaving)/,
      /\bNameResolutionError\b/,
      /\bdns error\b/,
      /nodename nor servname provided/,
      /No such host is known/,
      /Resolving timed out/,
      /\bCouldn't resolve host\b/,
      /Name does not resolve/,
    ],
    action: 'lend_internet',
  },
  {
    code: 'network.portal',
    patterns: [/Clearsigned file isn't valid, got 'NOSPLIT'/],
  },
  {
    code: 'network.proxy',
    patterns: [
      /Missing dependencies for SOCKS support/,

      /(?:Cannot|Unable to) connect to proxy/,
      /407 Proxy Authentication Required/,
      /Received HTTP code (?<status>\d+) from proxy after CONNECT/,
      /\bProxyError\b/,
      /Could not resolve proxy: (?<host>\S+)/,
      /Tunnel connection failed: (?<status>\d+)/,
      /tunneling socket could not be established/,
      /Proxy CONNECT aborted/,
      /\bwrong[ _]version[ _]number\b/,
    ],
  },
  {
    code: 'network.certificate',
    patterns: [
      /problem confirming the ssl certificate/,
      /\bbad handshake\b/,

      /[Cc]ertificate verification failed/,

      /certificate verify failed/,
      /CERTIFICATE_VERIFY_FAILED/,
      /unable to get (?:local )?issuer certificate/,
      /self[- ]signed certificate/,
      /server certificate verification failed/,
      /invalid peer certificate: UnknownIssuer/,
      /certificate signed by unknown authority/,
      /SSL peer certificate or SSH remote key was not OK/,
      /CondaSSLError/,
      /Peer certificate cannot be authenticated/,
      /issuer is unknown|locally verify the issuer's authority/,
      /certificate is NOT trusted/,
      /(?:hostname|host name) mismatch|no alternative certificate subject name matches/,
      /SSL certificate problem/,
      /\bx509: certificate\b/,
      /certificate is not trusted/,
      /invalid peer certificate/,
    ],
  },
  {
    code: 'network.no_route',
    patterns: [/No route to host/, /Network is unreachable/, /connect \(113: /],
    action: 'retry',
  },
];

/** What is left when nothing says who did not answer, or why. */
export const generalNetworkDiagnoses: readonly Diagnosis[] = [
  {
    code: 'network.reset',
    patterns: [
      /Connection reset by peer/,
      /\bConnectionResetError\b/,
      /\bECONNRESET\b/,
      /curl: \((?:18|35|56|92)\)/,
      /\bSSL_ERROR_SYSCALL\b/,
      /UNEXPECTED_EOF_WHILE_READING|EOF occurred in violation of protocol/,
      /Connection aborted\b/,
    ],
    action: 'retry',
    followsFrom: 'any',
  },
  {
    code: 'network.refused',
    patterns: [/\bConnection refused\b/, /\bECONNREFUSED\b/, /\bConnectionRefusedError\b/],
    action: 'retry',
    followsFrom: 'any',
  },
  {
    code: 'network.timeout',
    patterns: [
      /\bConnectTimeout\b/,
      /\bsocket\.timeout\b/,

      /\b(?:Connection|Operation) timed out\b/,
      /\bETIMEDOUT\b/,
      /\bRead timed out\b/,
      /\bWantReadError\b/,
      /curl: \(28\)/,
      /\bcontext deadline exceeded\b/,
      /\bi\/o timeout\b/,
      /\bTimeout was reached\b/,
      /\b(?:Connect|Read)Timeout(?:Error)?\b/,
      /\b(?:handshake|request|connection) (?:operation )?timed out\b/,
    ],
    action: 'retry',
    followsFrom: 'any',
  },
];
