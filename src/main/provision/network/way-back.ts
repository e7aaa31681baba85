/**
 * That the others reach rank 0 is half of it: ranks connect to each other both ways, on ports that the system gives them.
 * Rank 0's node tries each of the others on such a port. NAT and a firewall that lets nobody in are found here, not when
 * the run waits for its ranks.
 */
import { randomInt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { connect, listen, type TrainerCommand } from './listener.ts';
import type { NodeShell } from '../node/node-shell.ts';

/** Of Linux, `net.ipv4.ip_local_port_range`. */
const systemsPorts = [32_768, 60_999] as const;
/** One that is taken is no wonder, many are. */
const portsTried = 4;

/** A node with a shell that writes to the record of what is being tried. */
export interface Trier extends TrainerCommand {
  readonly name: string;
  readonly facts: NodeFacts;
  readonly shell: NodeShell;
}

/** Throws node_behind_nat, peer_unreachable. */
export async function checkWayBack(rank0: Trier, other: Trier, address: string): Promise<void> {
  for (let tried = 0; tried < portsTried; tried += 1) {
    const port = randomInt(systemsPorts[0], systemsPorts[1] + 1);
    const listener = await listen(other.shell, other, [address], port);
    if (listener === undefined) continue;
    try {
      if ((await connect(rank0.shell, rank0, address, port, listener.secret)) !== undefined) return;
    } finally {
      await listener.stop().catch(() => undefined);
    }
    const at = `${address}:${port}`;
    throw (
      (await behindNat(rank0.name, other, at)) ??
      new RinglabError(
        'peer_unreachable',
        { from: rank0.name, to: other.name, address: at },
        { where: other.name },
      )
    );
  }
}

/** Where SSH reaches the node at an address that none of its interfaces has: what to say instead of 'unreachable'. */
export async function behindNat(
  from: string,
  { name, facts, shell }: Pick<Trier, 'name' | 'facts'> & { shell: { session: Pick<SshSession, 'target'> } },
  address: string,
): Promise<RinglabError | undefined> {
  const { target } = shell.session;
  // A jump host may know it by a name or an address that means something there alone.
  if (target.jump !== undefined) return undefined;
  const reachedAt = await lookup(target.host, { all: true }).catch(() => []);
  const own = new Set(facts.addresses.map((entry) => entry.address));
  const isOwn = reachedAt.some((entry) => own.has(entry.address) || /^(127\.|::1$)/.test(entry.address));
  if (isOwn || reachedAt.length === 0) return undefined;
  return new RinglabError(
    'node_behind_nat',
    { from, node: name, address, ssh: `${target.host}:${target.port}` },
    { where: name },
  );
}
