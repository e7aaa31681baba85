/**
 * Joins a lab's nodes by WireGuard: each gets an address in a network that none of them uses, and every other node as
 * a peer restricted to its own address. Public keys come only over each node's own SSH connection. Reachability of a
 * UDP port is tested by WireGuard's handshake, which proves both directions.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../../../shared/lab/lab.ts';
import type { RaisedNetwork } from '../../../net/index.ts';
import type { NetworkNode, TunnelPlace } from '../network-node.ts';
import { createNodeShell, lastWords, type NodeShell } from '../../node/node-shell.ts';
import { machineOf } from '../ports.ts';
import type { NodeRights, Rights } from '../../node/rights.ts';
import type { StepStatus } from '../../node/readiness.ts';
import type { NodeTunnel } from '../../engine/step.ts';
import {
  addressIn,
  choosePort,
  endpointsOf,
  maxMembers,
  parseHeard,
  parseNetworks,
  pieceFor,
  maxPortAttempts,
  defaultPort,
  type Heard,
  type NodeNetworks,
  type TunnelPeer,
} from './plan.ts';
import { handshakeScript, networksScript, raiseExits, raiseScript } from './scripts.ts';
import { phrase } from '../../../i18n/index.ts';
import { changedLine, type Phrase } from '../../../../shared/base/phrase.ts';

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
interface Member {
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

const defaultRound = 7;

/**
 * By node id; undefined where all nodes are one machine, so that there is no traffic to encrypt.
 * @throws tunnel_unavailable, tunnel_unreachable, consent_refused, node_needs_root
 */
export async function raiseTunnel(options: RaiseTunnel): Promise<Map<string, TunnelPlace> | undefined> {
  const { lab, signal, owner } = options;
  const members = await membersOf(options);
  if (members.length < 2) return undefined;
  if (members.length > maxMembers)
    throw new RinglabError('tunnel_unavailable', {
      reason: phrase('reasons.tunnel.members', { count: maxMembers }),
    });

  const networks = await Promise.all(members.map((one) => networksOf(one)));
  const whole = trainingNodes(lab).every(({ id }) => members.some(({ nodeIds }) => nodeIds.includes(id)));
  const piece = pieceFor(lab.id, networks, whole);
  const addresses = members.map(({ index }) => addressIn(piece, index));
  const ports = members.map((one, index) => portOf(one, networks[index]));
  const endpoints = members.map((to) =>
    members.map((from) => {
      const drawn = options.raised?.place(to.at.node.id)?.address;
      return drawn === undefined
        ? endpointsOf(to.at.facts, to.at.session.target.host, to.reachedAt, from.at.facts)
        : [drawn];
    }),
  );
  /** The peer entry of member `to` for member `from`, with the `round`th endpoint. */
  const peer = (from: number, to: number, round: number): TunnelPeer => {
    const ways = endpoints[to]?.[from] ?? [];
    const [a, b] = [members[from], members[to]];
    return {
      publicKey: b?.tunnel.publicKey ?? '',
      address: addresses[to] ?? '',
      endpoint: ways[round % Math.max(1, ways.length)],
      port: ports[to] ?? defaultPort,
      keepalive: (a?.behindNat ?? false) || (b?.behindNat ?? false),
    };
  };
  const others = (from: number): number[] => members.map((_, to) => to).filter((to) => to !== from);

  await Promise.all(
    members.map((one, from) =>
      raiseOne(one, {
        owner,
        labId: lab.id,
        address: addresses[from] ?? '',
        port: ports[from] ?? defaultPort,
        whole,
        peers: others(from).map((to) => peer(from, to, 0)),
        signal,
      }),
    ),
  );
  await greetAll(members, peer, ports, options);
  return new Map(
    members.flatMap(({ nodeIds, tunnel }, index) =>
      nodeIds.map((id): [string, TunnelPlace] => [
        id,
        { address: addresses[index] ?? '', interface: tunnel.name },
      ]),
    ),
  );
}

async function membersOf({ lab, nodes, raised, record, rights, signal }: RaiseTunnel): Promise<Member[]> {
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

const networksOf = async ({ shell, tunnel }: Member): Promise<NodeNetworks> =>
  parseNetworks(
    (
      await shell.exec(networksScript(tunnel.name), {
        label: phrase('nodeCommands.networks'),
        quiet: true,
        brief: true,
      })
    ).stdout,
  );

function portOf({ at }: Member, networks: NodeNetworks | undefined): number {
  const port = networks === undefined ? defaultPort : choosePort(networks);
  if (port !== undefined) return port;
  const last = defaultPort + maxPortAttempts - 1;
  throw new RinglabError(
    'tunnel_unavailable',
    { reason: phrase('reasons.tunnel.ports', { first: defaultPort, last }) },
    { where: at.node.name },
  );
}

interface One {
  readonly owner: string;
  readonly labId: string;
  readonly address: string;
  readonly port: number;
  readonly whole: boolean;
  readonly peers: readonly TunnelPeer[];
  readonly signal: AbortSignal;
}

async function raiseOne({ at, tunnel, shell, record, rights }: Member, one: One): Promise<void> {
  const { signal, ...wanted } = one;
  const command = raiseScript({ name: tunnel.name, ...wanted });
  const what = phrase('changes.tunnel.raise', {
    name: tunnel.name,
    address: one.address,
    port: one.port,
    peers: one.peers.length,
  });
  await rights.allow('tunnel', [{ what, command }], signal);
  record.log.add(changedLine(what, (text) => `# ${text}`));
  const result = await rights.root(shell, at.facts, command, {
    label: phrase('nodeCommands.raise', { name: tunnel.name }),
    timeoutMs: 60_000,
  });
  if (result.code === 0) {
    if (/^raised$/m.test(result.stdout)) record.log.add(phrase('stepLog.raised', { name: tunnel.name }));
    return;
  }
  const why: Partial<Record<number, Phrase>> = {
    [raiseExits.noKey]: phrase('reasons.tunnel.keyGone'),
    [raiseExits.noWay]: phrase('reasons.tunnel.noWay'),
    [raiseExits.noTun]: phrase('reasons.tunnel.noTun'),
    [raiseExits.noInterface]: phrase('reasons.tunnel.noInterface'),
  };
  const last = lastWords(result);
  const reason =
    why[result.code ?? -1] ??
    (/Operation not permitted/.test(last) ? notAllowed : phrase('reasons.tunnel.failed'));
  throw new RinglabError('tunnel_unavailable', { reason }, { where: at.node.name, detail: last });
}

const notAllowed = phrase('reasons.tunnel.notAllowed');

/** Rounds of handshakes until all pairs have a session; the error names a missing pair and the blocked port. */
async function greetAll(
  members: readonly Member[],
  peer: (from: number, to: number, round: number) => TunnelPeer,
  ports: readonly number[],
  { roundSeconds = defaultRound, signal }: RaiseTunnel,
): Promise<void> {
  const waysOf = (from: number): number => {
    const seen = members.map(
      (_, to) => new Set([0, 1, 2, 3].map((round) => peer(from, to, round).endpoint)).size,
    );
    return Math.max(...seen);
  };
  // In the first round those that have met before are tried where they were, so that the first candidates come again at the end.
  const max = 1 + Math.max(...members.map((_, from) => waysOf(from)));
  let missing = members.flatMap((_, from) =>
    members.flatMap((__, to): [number, number][] => (from === to ? [] : [[from, to]])),
  );
  let heard: Heard[] = [];
  for (let round = 0; round < max && missing.length > 0; round += 1) {
    signal.throwIfAborted();
    heard = await Promise.all(
      members.map(async ({ at, shell, rights, tunnel }, from) => {
        const asked = missing.flatMap(([a, b]) => (a === from ? [peer(a, b, round)] : []));
        const result = await rights.root(
          shell,
          at.facts,
          handshakeScript(tunnel.name, asked, roundSeconds, round === 0),
          {
            label: phrase('nodeCommands.greet', { name: tunnel.name }),
            timeoutMs: (roundSeconds + 30) * 1000,
          },
        );
        return parseHeard(result.stdout);
      }),
    );
    const has = (from: number, to: number): boolean =>
      heard[from]?.sessions.has(members[to]?.tunnel.publicKey ?? '') ?? false;
    missing = missing.filter(([from, to]) => !has(from, to) && !has(to, from));
  }
  const [first] = missing;
  if (first === undefined) return;
  throw unreached(members, ports, heard, first);
}

function unreached(
  members: readonly Member[],
  ports: readonly number[],
  heard: readonly Heard[],
  [a, b]: readonly [number, number],
): RinglabError {
  const name = (index: number): string => members[index]?.at.node.name ?? '';
  const heardFrom = (here: number, there: number): boolean =>
    heard[here]?.received.has(members[there]?.tunnel.publicKey ?? '') ?? false;
  // Packets from `a` arrived at `b`, so the answer is blocked. A node behind NAT can connect but not be connected to.
  const [from, to] =
    heardFrom(b, a) || (members[b]?.behindNat === true && members[a]?.behindNat !== true) ? [b, a] : [a, b];
  return new RinglabError(
    'tunnel_unreachable',
    { from: name(from), to: name(to), port: ports[to] ?? defaultPort },
    { where: name(to) },
  );
}
