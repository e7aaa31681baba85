/** Lists our namespaces and devices in the kernel, identified by their mark. Nothing else is ever changed. */
import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';
import { namespacePrefix, parseMark, type Mark } from './names.ts';
import type { RootShell } from './root-shell.ts';
import { phrase } from '../i18n/index.ts';

interface StandingNamespace {
  readonly name: string;
  readonly mark: Mark;
  /** Whether a process runs in it, other than a tunnel's daemon, which stays between runs. */
  readonly busy: boolean;
}
export interface Standing {
  readonly namespaces: readonly StandingNamespace[];
  /** The host's ends of management links, with their labs. */
  readonly hostDevices: readonly { readonly name: string; readonly mark: Mark }[];
  /** IPv4 networks that the host uses: value and prefix length. */
  readonly hostNetworks: readonly { readonly value: number; readonly bits: number }[];
}

const inspectScript = `
for path in /run/netns/${namespacePrefix}*; do
  [ -e "$path" ] || continue
  name=\${path##*/}
  said=$(ip -n "$name" -o link show dev lo 2>/dev/null) || continue
  busy=$(ip netns pids "$name" 2>/dev/null | while read -r pid; do
    IFS= read -r comm 2>/dev/null < "/proc/$pid/comm" || continue
    [ "$comm" = wireguard-go ] || { echo "$pid"; break; }
  done)
  printf 'namespace\\t%s\\t%s\\t%s\\n' "$name" "\${busy:-0}" "$(printf %s "$said" | sed -n 's/.*alias //p')"
done
printf 'links\\t'; ip -j link show | tr -d '\\n'; echo
printf 'routes\\t'; ip -j -4 route show table all | tr -d '\\n'; echo
`;

const Links = z.array(z.object({ ifname: z.string(), ifalias: z.string().optional() }));
const Routes = z.array(z.object({ dst: z.string() }));

/** Whether any namespace has one of our names; needs no privileges. */
export async function hasNamespaces(): Promise<boolean> {
  const names = await readdir('/run/netns').catch((): string[] => []);
  return names.some((name) => name.startsWith(namespacePrefix));
}

export async function inspect(shell: RootShell): Promise<Standing> {
  const { code, stdout, stderr } = await shell.run(inspectScript);
  if (code !== 0) throw new RinglabError('network_failed', { what: 'ip', reason: stderr.trim() });
  const namespaces: StandingNamespace[] = [];
  let links: z.infer<typeof Links> = [];
  let routes: z.infer<typeof Routes> = [];
  for (const line of stdout.split('\n')) {
    const [kind, first = '', second = '', third = ''] = line.split('\t');
    if (kind === 'namespace') {
      const mark = parseMark(third.trim());
      if (mark !== undefined) namespaces.push({ name: first, mark, busy: second !== '0' });
    } else if (kind === 'links') links = read(Links, first);
    else if (kind === 'routes') routes = read(Routes, first);
  }
  const hostDevices = links.flatMap(({ ifname, ifalias }) => {
    const mark = ifname.startsWith('rl') ? parseMark(ifalias ?? '') : undefined;
    return mark === undefined ? [] : [{ name: ifname, mark }];
  });
  return { namespaces, hostDevices, hostNetworks: routes.flatMap(({ dst }) => networkOf(dst)) };
}

/** @throws network_failed where `ip` has no JSON output, or another form of it */
function read<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text || '[]'));
  } catch (error) {
    const reason = phrase('reasons.ipAnswer', { text: text.slice(0, 200) });
    throw new RinglabError('network_failed', { what: 'ip', reason }, { cause: error });
  }
}

function networkOf(text: string): { value: number; bits: number }[] {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(text);
  if (match === null) return [];
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1, 5).map(Number);
  if (Math.max(a, b, c, d) > 255 || Number(match[5] ?? 0) > 32) return [];
  return [
    { value: a * 2 ** 24 + b * 2 ** 16 + c * 256 + d, bits: match[5] === undefined ? 32 : Number(match[5]) },
  ];
}

/** The first block of management addresses that does not overlap the host's networks; -1 where there is none. */
export function freeBlock(
  networks: Standing['hostNetworks'],
  firstAddress: (block: number) => number,
  blocks: number,
): number {
  for (let block = 0; block < blocks; block += 1) {
    const from = firstAddress(block);
    const to = from + 1024;
    const isTaken = networks.some(({ value, bits }) => value < to && value + 2 ** (32 - bits) > from);
    if (!isTaken) return block;
  }
  return -1;
}
