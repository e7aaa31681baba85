/** Detects what this machine can emulate, by trying it in a temporary namespace. */
import { existsSync } from 'node:fs';
import type { NotEmulated } from '../../shared/node/network.ts';
import { namespacePrefix } from './names.ts';
import { missingProgram, openRootShell, type RootShell } from './root-shell.ts';
import type { KernelMeans } from './shaping.ts';

export type Ability =
  | { readonly able: true; readonly shell: RootShell; readonly means: KernelMeans }
  | { readonly able: false; readonly reason: NotEmulated; readonly detail: string };

/** Prints each supported feature on a line: `base`, `tbf`, `htb`, `netem`, `tap`. */
const trialScript = (name: string): string => `
trap 'ip netns delete ${name} 2>/dev/null' EXIT
set -e
ip netns add ${name}
ip -n ${name} link add rl1 type veth peer name rl2
ip -n ${name} link add rlbr type bridge
nsenter --net=/run/netns/${name} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
echo base
set +e
tc -n ${name} qdisc add dev rl1 root tbf rate 10mbit burst 16kb limit 64kb && echo tbf
tc -n ${name} qdisc replace dev rl1 root handle 1: htb default 1 && echo htb
tc -n ${name} qdisc replace dev rl1 root netem delay 1ms && echo netem
ip -n ${name} tuntap add dev rl3 mode tap && echo tap
exit 0
`;

/** @param program the trainer of this computer; it need not be built */
export async function tryAbility(program?: string): Promise<Ability> {
  const unable = (reason: NotEmulated, detail = ''): Ability => ({ able: false, reason, detail });
  if (process.env.RINGLAB_NETWORK === 'off') return unable('switched_off');
  if (process.platform !== 'linux') return unable('system', process.platform);
  const missing = missingProgram(['ip', 'tc', 'nsenter']);
  if (missing !== undefined) return unable('programs', missing);
  const shell = await openRootShell();
  if (shell === undefined) return unable('rights');
  const { stdout, stderr } = await shell.run(trialScript(`${namespacePrefix}trial-${process.pid}`));
  const works = new Set(stdout.split('\n'));
  if (!works.has('base')) return unable('kernel', stderr.trim().split('\n').at(-1) ?? '');
  const linkProgram = program !== undefined && works.has('tap') && existsSync(program) ? program : undefined;
  const means = { tbf: works.has('tbf'), htb: works.has('htb'), netem: works.has('netem'), linkProgram };
  return { able: true, shell, means };
}

/**
 * What works goes on working. What is missing may be installed: programs are looked for each time, other failures are tried again
 * only for a change of a network, as each leaves a line in sudo's log.
 */
export function rememberSuccess(ability: () => Promise<Ability>): (forChange?: boolean) => Promise<Ability> {
  let tried: Promise<Ability> | undefined;
  return async (forChange = false) => {
    const last = tried;
    const found = await last;
    if (found !== undefined && (found.able || !(forChange || found.reason === 'programs'))) return found;
    // Not at the same time as another caller that waited for the same failure.
    const now = tried === undefined || tried === last ? ability() : tried;
    tried = now;
    return now;
  };
}
