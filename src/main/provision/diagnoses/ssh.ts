/** Failures of ssh, and of tools that use it. */
import type { Diagnosis } from './diagnosis.ts';

export const sshDiagnoses: readonly Diagnosis[] = [
  {
    code: 'ssh.host_key_changed',
    patterns: [
      /REMOTE HOST IDENTIFICATION HAS CHANGED/,
      /Host key for (?<host>\S+) has changed/,
      /BadHostKeyException/,
      /POSSIBLE DNS SPOOFING DETECTED/,
      /Offending \S+ key in \S+known_hosts/,
      /knownhosts: key mismatch/,
      /host key for (?<host>\S+) has changed/,
    ],
  },
  {
    code: 'ssh.host_key_unknown',
    patterns: [
      /No \S+ host key is known for (?<host>\S+)/,
      /authenticity of host '(?<host>[^']+)' can't be established/,
      /Server '(?<host>[^']+)' not found in known_hosts/,
      /Host key verification failed/,
      /failed to get the hostkey for (?<host>[^\s"]+)/,
      /(?<host>[\w.:-]{1,255}) has an unknown hostkey/,
      /knownhosts: key is unknown/,
      /Host denied \(verification failed\)/,
    ],
    followsFrom: ['ssh.host_key_changed'],
  },
  {
    code: 'ssh.throttled',
    patterns: [
      /kex_exchange_identification: (?:Connection closed by remote host|read: Connection reset by peer)/,
      /ssh_exchange_identification: (?:Connection closed|read: Connection reset)/,
      /Exceeded MaxStartups/,
      /Error reading SSH protocol banner/,
      /Not allowed at this time/,
    ],
    action: 'retry',
  },
  {
    code: 'ssh.too_many_keys',
    patterns: [/Too many authentication failures/],
  },
  {
    code: 'ssh.key_readable',
    patterns: [
      /UNPROTECTED PRIVATE KEY FILE/,
      /Permissions \d+ for '(?<key>[^']+)' are too open/,
      /Permissions(?: \d+)? for '(?<key>.+)' are too open/,
      /Load key "(?<key>[^"]+)": bad permissions/,
    ],
  },
  {
    code: 'ssh.passphrase',
    patterns: [
      /Password is required for key (?<key>\S+)/,
      /PasswordRequiredException/,
      /Private key file is encrypted/,
      /Encrypted private (?:OpenSSH )?key detected, but no passphrase given/,
      /incorrect passphrase supplied/,
    ],
  },
  {
    code: 'ssh.key_format',
    patterns: [
      /Load key "(?<key>[^"]+)": (?:invalid format|error in libcrypto)/,
      /Unsupported key format/,
      /not a valid \w+ private key file/,
    ],
  },
  {
    code: 'ssh.no_common_algorithm',
    patterns: [
      /no matching (?<kind>host key type|key exchange method|cipher|MAC) found/,
      /no (?:mutual|matching) (?<kind>signature (?:algorithm|supported)|compression method)/,
      /Incompatible ssh (?:peer|server)/,
      /no matching (?<kind>.{0,40}?) (?:method|type|algorithm)s? found/,
    ],
  },
  {
    code: 'ssh.no_agent',
    patterns: [
      /SSH_AUTH_SOCK\b.{0,40}not set/,
      /Could not open a connection to your authentication agent/,
      /Error connecting to agent\b/,
      /\bssh-agent is not running\b/,
    ],
  },
  {
    code: 'ssh.no_identity',
    patterns: [
      /Identity file (?<key>\S+) not accessible/,
      /no such identity: (?<key>[^:]+)/,
      /ERROR: No identities found/,
      /The agent has no identities/,
      /private key file (?<key>\S+) (?:does not exist|not found)/,
    ],
  },
  {
    code: 'ssh.account',
    patterns: [
      /Your (?:password|account) has expired/,
      /Password change required but no TTY available/,
      /This account is currently not available/,
      /System is booting up\. Unprivileged users are not permitted/,
    ],
  },
  {
    code: 'ssh.max_sessions',
    patterns: [/Session open refused by peer/],
  },
  {
    code: 'ssh.control_path',
    patterns: [/too long for Unix domain socket/, /ControlPath .{0,200}too long/],
  },
  {
    code: 'ssh.denied',
    patterns: [
      /^Access denied\.?$/,

      /Permission denied \((?<methods>(?:publickey|password|keyboard-interactive|gssapi|hostbased)[^)]*)\)/,
      /Permission denied, please try again/,
      /AuthenticationException/,
      /All configured authentication methods failed/,
      /signing failed\b.*agent refused operation/,
      /No more authentication methods|No supported authentication methods available/,
      /Authentication failed\.$/,
    ],
    followsFrom: ['ssh.key_readable', 'ssh.key_format'],
  },
  {
    code: 'ssh.refused',
    patterns: [
      /Unable to connect to port (?<port>\d+) on (?<host>\S+)/,
      /connect to (?:host )?(?<host>\S+) port (?<port>\d+): Connection refused/,
    ],
    action: 'retry',
  },
  {
    code: 'ssh.timeout',
    patterns: [
      /connect to (?:host )?(?<host>\S+) port (?<port>\d+): (?:Connection|Operation) timed out/,
      /Connection timed out during banner exchange/,
      /ssh: connect to host (?<host>\S+) port (?<port>\d+): .*timed out/,
    ],
    action: 'retry',
  },
  {
    code: 'ssh.dropped',
    patterns: [
      /^Connection (?:closed|reset) by (?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]*:[\da-f:]+|remote host|foreign host)\.?\s*$/,

      /client_loop: send disconnect: (?:Broken pipe|Connection reset)/,
      /Timeout, server \S+ not responding/,
      /packet_write_wait: Connection to .*: Broken pipe/,
      /^(?:ssh: )?Connection (?:closed|reset) by (?:(?:authenticating|invalid) user \S+ )?\S+ port \d+/,
      /Connection to \S+ closed by remote host/,
      /Write failed: Broken pipe/,
      /ssh_dispatch_run_fatal: Connection to \S+ port \d+: (?:Broken pipe|Connection (?:reset|timed out))/,
      /rsync: (?:\[\w+\] )?connection unexpectedly closed/,
    ],
    action: 'retry',
    followsFrom: [
      'sudo.password',
      'ssh.throttled',
      'ssh.damaged',
      'ssh.too_many_keys',
      'ssh.no_common_algorithm',
      'ssh.denied',
      'ssh.host_key_unknown',
      'ssh.host_key_changed',
      'ssh.refused',
      'ssh.timeout',
      'ssh.key_readable',
      'ssh.key_format',
      'network.name',
      'network.no_route',
      'ssh.account',
    ],
  },
  {
    code: 'ssh.damaged',
    patterns: [
      /message authentication code incorrect/,
      /Corrupted MAC on input/,
      /Bad packet length \d+/,
      /Connection corrupted/,
    ],
    action: 'retry',
  },
  {
    code: 'ssh.local_port',
    patterns: [
      /^bind \[[^\]]+\]:(?<port>\d+): /,
      /channel_setup_fwd_listener\w*: cannot listen to port: (?<port>\d+)/,
    ],
  },
  {
    code: 'ssh.forwarding',
    patterns: [
      /administratively[ _]prohibited/,
      /remote port forwarding failed for listen port (?<port>\d+)/,
      /Port forwarding is disabled/,
    ],
  },
  {
    code: 'ssh.forward_target',
    patterns: [
      /open failed: connect failed: (?<reason>.+)$/,
      /Channel open failure: (?<reason>Connection refused|connect failed.*)/,
    ],
  },
  {
    code: 'ssh.config',
    patterns: [
      /Bad (?:configuration option|owner or permissions on)\b/,
      /terminating, \d+ bad configuration options/,
    ],
  },
  {
    code: 'ssh.noisy_shell',
    patterns: [/Received message too long \d+/, /protocol version mismatch -- is your shell clean\?/],
  },
  {
    code: 'ssh.no_sftp',
    patterns: [
      /scp: Connection closed/,
      /subsystem request failed on channel \d+/,
      /sftp-server: (?:No such file|not found)/,
    ],
  },
  {
    code: 'ssh.not_ssh',
    patterns: [
      /banner line contains invalid characters/,
      /Invalid SSH identification string/,
      /Protocol major versions differ/,
      /Bad remote protocol version identification/,
    ],
  },
  {
    code: 'ssh.no_rsync',
    patterns: [
      /rsync error: remote command not found \(code 127\)/,
      /rsync (?:exited|ended|failed|error).{0,30}\bcode 12\b/,
    ],
  },
  {
    code: 'ssh.failed',
    patterns: [
      /Failed to connect to the host via ssh\.?\"/,

      /\b[Ee]rror 255 returned from remote shell/,
      /\bunexplained error \(code 255\)/,

      /\b(?:ssh|scp|rsync)\b.{0,40}\b(?:code|status|exit) 255\b/,
      /SCP did not finish successfully \(255\)/,
    ],
    followsFrom: 'any',
  },
];
