/** The ends of a tunnel: one for each machine, or network namespace, of the lab's nodes. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../../../shared/lab/lab.ts';
import { phrase } from '../../../i18n/index.ts';
import type { RaisedNetwork } from '../../../net/index.ts';
import type { NodeTunnel } from '../../engine/step.ts';
import { createNodeShell, type NodeShell } from '../../node/node-shell.ts';
import type { StepStatus } from '../../node/readiness.ts';
import type { NodeRights, Rights } from '../../node/rights.ts';
import type { NetworkNode } from '../network-node.ts';
import { machineOf } from '../ports.ts';
import { maxMembers } from './plan.ts';

export interface RaiseTunnel {
  readonly lab: LabDocument;
  readonly nodes: readonly NetworkNode[];
  readonly raised: RaisedNetwork | undefined;
  /** Returns the record of each node's tunnel. */
  readonly record: (node: NetworkNode) => StepStatus;
  readonly rights: Rights;
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Time-out of one round of handshakes; WireGuard retries after five seconds. */
  readonly roundSeconds?: number;
}

/** One end: a machine, or a network namespace. Nodes that share it share the end. */
export interface Member {
  readonly at: NetworkNode;
  readonly nodeIds: readonly string[];
  readonly tunnel: NodeTunnel;
  readonly shell: NodeShell;
  readonly record: StepStatus;
  readonly rights: NodeRights;
  readonly index: number;
  /** SSH reaches it at none of its own addresses. */
  readonly behindNat: boolean;
  readonly reachedAt: readonly string[];
}

/**
 * WireGuard knows a peer by its key: of two with the same one each node would keep the last, and others would lose the first. A node
 * that reports another's key has that node's files, or is hostile.
 * @throws tunnel_unavailable
 */
export function refuseEqualKeys(members: readonly Pick<Member, 'at' | 'tunnel'>[]): void {
  const holders = new Map<string, string>();
  for (const { at, tunnel } of members) {
    const other = holders.get(tunnel.publicKey);
    if (other !== undefined) {
      const reason = phrase('reasons.tunnel.sameKey', { node: other, other: at.node.name });
      throw new RinglabError('tunnel_unavailable', { reason });
    }
    holders.set(tunnel.publicKey, at.node.name);
  }
}

/**
 * Members are numbered by the drawing, so that some of them get the same addresses as all: the number counts, too, as a later one's address
 * would be outside of the lab's block.
 * @throws tunnel_unavailable
 */
export function refuseTooMany(members: readonly Pick<Member, 'index'>[]): void {
  if (members.length <= maxMembers && members.every(({ index }) => index < maxMembers)) return;
  throw new RinglabError('tunnel_unavailable', {
    reason: phrase('reasons.tunnel.members', { count: maxMembers }),
  });
}

export async function membersOf({
  lab,
  nodes,
  raised,
  record,
  rights,
  signal,
}: RaiseTunnel): Promise<Member[]> {
  const spaces = new Map<string, NetworkNode[]>();
  for (const one of nodes) {
    const space = raised?.place(one.node.id)?.namespace ?? machineOf(one.facts);
    spaces.set(space, [...(spaces.get(space) ?? []), one]);
  }
  const order = trainingNodes(lab).map(({ id }) => id);
  return Promise.all(
    [...spaces.values()].flatMap((together) => {
      const [at] = together;
      if (at?.tunnel === undefined) return [];
      return [member(at, at.tunnel, together)];
    }),
  );

  async function member(at: NetworkNode, tunnel: NodeTunnel, together: NetworkNode[]): Promise<Member> {
    const { target } = at.session;
    const own = new Set(at.facts.addresses.map(({ address }) => address));
    // An address behind a jump host is meaningful only there.
    const reachedAt =
      raised !== undefined || target.jump !== undefined
        ? []
        : (await lookup(target.host, { all: true }).catch(() => [])).map(({ address }) => address);
    const isOwn = reachedAt.some((address) => own.has(address) || /^(?:127\.|::1$)/.test(address));
    const ran = record(at);
    return {
      at,
      nodeIds: together.map(({ node }) => node.id),
      tunnel,
      record: ran,
      shell: createNodeShell(at.session, ran, signal, raised?.place(at.node.id)?.enter),
      rights: rights.of(at.session),
      index: order.indexOf(at.node.id),
      behindNat: reachedAt.length > 0 && !isOwn,
      reachedAt: reachedAt.filter((address) => isIP(address) !== 0),
    };
  }
}
