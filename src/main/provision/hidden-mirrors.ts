/**
 * Before apt is started: does anything answer at all? Behind a firewall that drops packets apt waits for minutes at each
 * address, in silence, and holds its lock meanwhile. A refusal or a name that nobody knows comes at once and is apt's to say.
 */
import { RinglabError } from '../../shared/errors.ts';
import { shellQuote } from '../ssh/index.ts';
import type { NodeShell } from './node-shell.ts';

const most = 6;
const waitSeconds = 8;

/**
 * Prints `drop HOST PORT` for each mirror that did not answer in time, `answer HOST PORT` for one that did, or refused.
 * Nothing where apt has a proxy of its own, or the node has no program to ask with.
 */
const script = (folder: string): string =>
  String.raw`
command -v bash >/dev/null 2>&1 && command -v timeout >/dev/null 2>&1 || exit 0
[ -z "$http_proxy$HTTP_PROXY" ] || exit 0
apt-config dump 2>/dev/null | grep -qi '^Acquire::.*Proxy.* "[^"]' && exit 0
{
  sed -n 's/^ *deb  *\(\[[^]]*\] *\)\{0,1\}//p' FOLDER/sources.list FOLDER/sources.list.d/*.list
  sed -n 's/^URIs: *//p' FOLDER/sources.list.d/*.sources | tr ' ' '\n'
} 2>/dev/null | sed -n 's#^\(https\{0,1\}\)://\([A-Za-z0-9.-]*\)\(:[0-9]*\)\{0,1\}/.*#\1 \2 \3#p' | sort -u | head -n ${most} | {
  while read -r scheme host port; do
    port=\${port#:}
    [ -n "$port" ] || case $scheme in https) port=443;; *) port=80;; esac
    {
      timeout ${waitSeconds} bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$host" "$port" >/dev/null 2>&1
      case $? in 124) echo "drop $host $port";; *) echo "answer $host $port";; esac
    } &
  done
  wait
}
`
    .replaceAll('\\${', '${')
    .replaceAll('FOLDER', shellQuote(folder));

/**
 * @param command what a user would type instead, for the message
 * @param folder where apt has its sources
 * @throws node_offline where each of the node's mirrors leaves its connection without an answer
 */
export async function refuseHiddenMirrors(
  shell: NodeShell,
  command: string,
  folder = '/etc/apt',
): Promise<void> {
  const { stdout } = await shell.exec(script(folder), {
    label: `try the mirrors that apt would ask (at most ${waitSeconds} s)`,
    timeoutMs: (waitSeconds + 6) * 1000,
    maxOutputBytes: 64 * 1024,
  });
  const tried = [...stdout.matchAll(/^(drop|answer) ([A-Za-z0-9.-]{1,253}) (\d{1,5})$/gm)];
  if (tried.length === 0 || tried.some(([, word]) => word === 'answer')) return;
  const places = tried
    .map(([, , host = '', port = '']) => `${host} (TCP port ${port})`)
    .sort()
    .join(', ');
  throw new RinglabError('node_offline', {
    reason: `no answer within ${waitSeconds} s from ${places}; a firewall drops what the node sends there, or the answers`,
    command,
    diagnosis: 'network.offline',
  });
}
