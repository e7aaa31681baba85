/**
 * Tests connections from rank 0's node to each other node on a random port, since ranks connect in both directions on
 * ports that the system chooses. Detects NAT and inbound firewalls before ranks have to wait for each other. In a tunnel, too: its
 * handshakes prove only that its UDP port is open.
 */
import { randomInt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { connect, listen, type TrainerCommand } from './listener.ts';
import type { NodeShell } from '../node/node-shell.ts';

/** Linux' default of `net.ipv4.ip_local_port_range`. */
const systemsPorts = [32_768, 60_999] as const;
/** One port may be in use by chance, several may not. */
const portsTried = 4;

/** A node with a shell that logs to the record of the current test. */
export interface Trier extends TrainerCommand {
  readonly name: string;
  readonly facts: NodeFacts;
  readonly shell: NodeShell;
}

/**
 * Throws node_behind_nat, peer_unreachable.
 * @param inTunnel there is no NAT on the way then
 */
export async function checkWayBack(
  rank0: Trier,
  other: Trier,
  address: string,
  inTunnel: boolean,
): Promise<void> {
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
      (inTunnel ? undefined : await behindNat(rank0.name, other, at)) ??
      new RinglabError(
        'peer_unreachable',
        { from: rank0.name, to: other.name, address: at },
        { where: other.name },
      )
    );
  }
}

/** Where SSH reaches the node at an address that none of its interfaces has: the more specific error. */
export async function behindNat(
  from: string,
  { name, facts, shell }: Pick<Trier, 'name' | 'facts'> & { shell: { session: Pick<SshSession, 'target'> } },
  address: Line,
): Promise<RinglabError | undefined> {
  const { target } = shell.session;
  // Behind a jump host its name or address may be meaningful only there.
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
