/**
 * Tests whether a node reaches its download addresses directly: its distribution's mirrors, and those of the
 * experiment. Done where a user tests the connection, not in each preparation: an address that does not answer takes
 * seconds.
 */
import { runtimeOf, type LabDocument } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { channelsOf, indexesOf } from '../../../shared/lab/runtime.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeShell } from './node-shell.ts';
import { phrase } from '../../i18n/index.ts';

const max = 12;
const limitSeconds = 8;

/** The experiment's addresses; the node's own mirrors are in its files. */
function addressesOf(lab: LabDocument): string[] {
  const { data } = lab.experiment;
  const runtime = runtimeOf(lab);
  return [
    ...(runtime.type === 'conda' ? channelsOf(runtime) : []),
    ...(runtime.type === 'wheels' ? indexesOf(runtime) : []),
    ...(data.type === 'url' ? data.urls : []),
    ...(data.type === 's3' ? [data.endpoint] : []),
  ];
}

/** Any answer counts: the server need not have a page at the bare address. */
const script = (addresses: readonly string[]): string =>
  String.raw`
has() { command -v "$1" >/dev/null 2>&1; }
limited() { if has timeout; then timeout ${limitSeconds} "$@"; else "$@"; fi; }
ask() {
  if has curl; then limited curl -s -I -o /dev/null --connect-timeout 5 "$1"; return; fi
  if has wget; then limited wget -q --spider -T 5 -t 1 "$1"; case $? in 0|8) return 0;; *) return 1;; esac; fi
  has bash || return 2
  rest=\${1#*://}; rest=\${rest%%/*}; port=\${rest##*:}
  case $rest in *:*) ;; *) case $1 in https:*) port=443;; *) port=80;; esac;; esac
  limited bash -c 'exec 3<>"/dev/tcp/$0/$1"' "\${rest%%:*}" "$port"
}
{
  printf '%s\n' ${addresses.map(shellQuote).join(' ')}
  sed -n 's/^ *deb  *\(\[[^]]*\] *\)\{0,1\}//p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list
  sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources | tr ' ' '\n'
} 2>/dev/null | sed -n 's#^\(https\{0,1\}://[^/ ]*\).*#\1/#p' | sort -u | head -n ${max} | {
  while IFS= read -r url; do
    { ask "$url" >/dev/null 2>&1; case $? in 0) echo "yes $url";; 2) :;; *) echo "no $url";; esac; } &
  done
  wait
}
`.replaceAll('\\${', '${');

/** Sorted; empty where there are no addresses, or the node has no program to test with. */
export async function reachedFrom(
  shell: Pick<NodeShell, 'exec'>,
  lab: LabDocument,
): Promise<NonNullable<NodeFacts['internet']>> {
  const { stdout } = await shell.exec(script(addressesOf(lab)), {
    label: phrase('nodeCommands.outward'),
    timeoutMs: 60_000,
  });
  return [...stdout.matchAll(/^(yes|no) https?:\/\/(\S{1,300})\/$/gm)]
    .slice(0, max)
    .map(([, word, address = '']) => ({ address, reached: word === 'yes' }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}
