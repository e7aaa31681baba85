/**
 * Checks before a download whether any mirror answers. Behind a firewall that drops packets apt, curl and micromamba
 * wait silently for minutes at each address, and hold their locks meanwhile. Refused connections and unknown names
 * fail at once and are left to those programs.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import type { Line, Phrase } from '../../../shared/base/phrase.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeShell } from './node-shell.ts';
import { phrase } from '../../i18n/index.ts';

const max = 12;
const patience = 8;

interface Place {
  /** `host (TCP port 80)` */
  readonly words: Phrase;
  readonly host: string;
  readonly port: string;
  readonly isHidden: boolean;
}

/** Lists addresses from apt's own sources. */
const aptSources = (folder: string): string =>
  String.raw`  sed -n 's/^ *deb  *\(\[[^]]*\] *\)\{0,1\}//p' FOLDER/sources.list FOLDER/sources.list.d/*.list
  sed -n 's/^URIs: *//p' FOLDER/sources.list.d/*.sources | tr ' ' '\n'`.replaceAll(
    'FOLDER',
    shellQuote(folder),
  );

/** Exits where a proxy is configured: direct connections mean nothing then. */
const aptProxy = `apt-config dump 2>/dev/null | grep -qi '^Acquire::.*Proxy.* "[^"]' && exit 0`;
const fetchProxy = `grep -qsi '^ *\\(proxy\\|https\\{0,1\\}_proxy\\)[ =:]' "$HOME/.curlrc" "$HOME/.config/curlrc" "$HOME/.wgetrc" /etc/wgetrc && exit 0`;

/**
 * Prints `drop HOST PORT` for each that did not answer in time, `name HOST 53` where the name server did not, `answer
 * HOST PORT` for one that answered or refused. Prints nothing with a proxy, or without a program to test with.
 */
const script = (addresses: string, proxy: string, waitSeconds: number): string =>
  String.raw`
command -v bash >/dev/null 2>&1 && command -v timeout >/dev/null 2>&1 || exit 0
[ -z "$http_proxy$HTTP_PROXY$https_proxy$HTTPS_PROXY$all_proxy$ALL_PROXY" ] || exit 0
PROXY
{
ADDRESSES
} 2>/dev/null | sed -n 's#^\(https\{0,1\}\)://\([A-Za-z0-9.-]*\)\(:[0-9]*\)\{0,1\}/.*#\1 \2 \3#p' | sort -u | head -n ${max} | {
  while read -r scheme host port; do
    port=${'$'}{port#:}
    [ -n "$port" ] || case $scheme in https) port=443;; *) port=80;; esac
    {
      reach() { timeout ${waitSeconds} bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$port" >/dev/null 2>&1; [ $? != 124 ]; }
      if reach "$host"; then echo "answer $host $port"
      else
        found=$(timeout 3 getent ahosts "$host" 2>/dev/null)
        named=$? four=
        # bash waits for IPv6 alone where that is dropped; curl, uv and apt go on with IPv4.
        case $found in *:*) for word in $found; do case $word in *[!0-9.]*) ;; *.*.*.*) four=$word; break;; esac; done;; esac
        if [ $named = 124 ]; then echo "name $host 53"
        elif [ -n "$four" ] && reach "$four"; then echo "answer $host $port"
        else echo "drop $host $port"; fi
      fi
    } &
  done
  wait
}
`
    .replace('PROXY\n', () => `${proxy}\n`)
    .replace('ADDRESSES\n', () => `${addresses}\n`);

async function look(
  shell: NodeShell,
  addresses: string,
  proxy: string,
  { label, waitSeconds }: { readonly label: Phrase; readonly waitSeconds: number },
): Promise<Place[]> {
  const { stdout } = await shell.exec(script(addresses, proxy, waitSeconds), {
    label: phrase('nodeCommands.atMost', { what: label, seconds: waitSeconds }),
    timeoutMs: (2 * waitSeconds + 10) * 1000,
    maxOutputBytes: 64 * 1024,
  });
  return [...stdout.matchAll(/^(drop|name|answer) ([A-Za-z0-9.-]{1,253}) (\d{1,5})$/gm)].map(
    ([, word, host = '', port = '']) => ({
      words: phrase(`reasons.${word === 'name' ? 'nameServer' : 'tcpPort'}`, { host, port }),
      host,
      port,
      isHidden: word !== 'answer',
    }),
  );
}

const refusal = (places: readonly Place[], command: string, waitSeconds: number): RinglabError =>
  new RinglabError('node_offline', {
    reason: phrase('reasons.hidden', {
      seconds: waitSeconds,
      places: places.toSorted((a, b) => (a.words.en < b.words.en ? -1 : 1)).map(({ words }) => words),
    }),
    command,
    diagnosis: 'network.offline',
  });

/**
 * @param command what a user would type instead, for the message
 * @param how `folder`: of apt's sources. `needed`: only hosts that contain this word have the packages.
 * `waitSeconds`: time-out
 * @throws node_offline where none of the node's mirrors answers
 */
export async function refuseHiddenMirrors(
  shell: NodeShell,
  command: string,
  {
    folder = '/etc/apt',
    needed,
    waitSeconds = patience,
  }: { readonly folder?: string; readonly needed?: string; readonly waitSeconds?: number } = {},
): Promise<void> {
  if (shell.lends) return;
  const all = await look(shell, aptSources(folder), aptProxy, {
    label: phrase('nodeCommands.aptMirrors'),
    waitSeconds,
  });
  const wanted = all.filter(({ host }) => needed !== undefined && host.includes(needed));
  const places = wanted.length > 0 ? wanted : all;
  if (places.length > 0 && places.every(({ isHidden }) => isHidden))
    throw refusal(places, command, waitSeconds);
}

/**
 * The addresses that may be used; the log names the others. For curl, wget and other downloads.
 * @throws node_offline where none of them answers
 */
export async function withoutHidden(
  shell: NodeShell,
  addresses: readonly string[],
  log: (line: Line) => void,
  waitSeconds = patience,
): Promise<readonly string[]> {
  if (shell.lends || !addresses.some((address) => /^https?:/.test(address))) return addresses;
  const lines = addresses.map((address) => shellQuote(`${address}/`)).join(' ');
  const places = await look(shell, `printf '%s\\n' ${lines}`, fetchProxy, {
    label: phrase('nodeCommands.addresses'),
    waitSeconds,
  });
  const hidden = places.filter(({ isHidden }) => isHidden);
  const hiddenAt = (address: string): Place | undefined => {
    const { hostname, port, protocol } = new URL(address);
    const own = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
    return hidden.find(
      (place) => place.host.toLowerCase() === hostname && (place.port === own || place.port === '53'),
    );
  };
  for (const address of addresses) {
    const place = URL.canParse(address) ? hiddenAt(address) : undefined;
    if (place !== undefined)
      log(
        phrase('stepLog.hidden', {
          address: shownAddress(address),
          seconds: waitSeconds,
          place: place.words,
        }),
      );
  }
  const open = addresses.filter((address) => !URL.canParse(address) || hiddenAt(address) === undefined);
  if (open.length === 0) throw refusal(hidden, `curl -I ${shownAddress(addresses[0] ?? '')}`, waitSeconds);
  return open;
}
