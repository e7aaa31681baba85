/**
 * Joins a lab's nodes by WireGuard: each gets an address in a network that none of them uses, and every other node as
 * a peer restricted to its own address. Public keys come only over each node's own SSH connection. Reachability of a
 * UDP port is tested by WireGuard's handshake, which proves both directions.
 */
import { changedLine, type Phrase } from '../../../../shared/base/phrase.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { trainingNodes } from '../../../../shared/lab/lab.ts';
import { phrase } from '../../../i18n/index.ts';
import type { TunnelPlace } from '../network-node.ts';
import { failed, greetAll } from './greet.ts';
import { membersOf, refuseEqualKeys, refuseTooMany, type Member, type RaiseTunnel } from './members.ts';
import {
  addressIn,
  choosePort,
  defaultPort,
  endpointsOf,
  maxPortAttempts,
  parseNetworks,
  pieceFor,
  type NodeNetworks,
  type TunnelPeer,
} from './plan.ts';
import { mtuScript, networksScript, raiseExits, raiseScript, type RaiseOptions } from './scripts.ts';

/**
 * By node id; undefined where all nodes are one machine, so that there is no traffic to encrypt.
 * @throws tunnel_unavailable, tunnel_unreachable, consent_refused, node_needs_root
 */
export async function raiseTunnel(options: RaiseTunnel): Promise<Map<string, TunnelPlace> | undefined> {
  const { lab, signal, owner } = options;
  const members = await membersOf(options);
  if (members.length < 2) return undefined;
  refuseTooMany(members);
  refuseEqualKeys(members);

  const networks = await Promise.all(members.map((one) => networksOf(one)));
  const whole = trainingNodes(lab).every(({ id }) => members.some(({ nodeIds }) => nodeIds.includes(id)));
  const piece = pieceFor(
    lab.id,
    networks.map((one, index) => ({ ...one, name: members[index]?.at.node.name ?? '' })),
  );
  const addresses = members.map(({ index }) => addressIn(piece, index));
  const ports = members.map((one, index) =>
    portOf(one, networks[index] ?? { ports: new Set(), own: undefined }),
  );
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
    return {
      publicKey: members[to]?.tunnel.publicKey ?? '',
      address: addresses[to] ?? '',
      endpoint: ways[round % Math.max(1, ways.length)],
      port: ports[to] ?? defaultPort,
    };
  };
  const others = (from: number): number[] => members.map((_, to) => to).filter((to) => to !== from);

  await Promise.all(
    members.map(async (one, from) => {
      const wanted = {
        owner,
        labId: lab.id,
        address: addresses[from] ?? '',
        whole,
        peers: others(from).map((to) => peer(from, to, 0)),
      };
      const { ports: inUse } = networks[from] ?? { ports: [] };
      ports[from] = await raiseAtPort(one, wanted, ports[from] ?? defaultPort, inUse, signal);
    }),
  );
  await greetAll(members, peer, ports, options);
  await Promise.all(members.map(setMtu));
  return new Map(
    members.flatMap(({ nodeIds, tunnel }, index) =>
      nodeIds.map((id): [string, TunnelPlace] => [
        id,
        { address: addresses[index] ?? '', interface: tunnel.name },
      ]),
    ),
  );
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

function portOf({ at }: Member, networks: Parameters<typeof choosePort>[0]): number {
  const port = choosePort(networks);
  if (port !== undefined) return port;
  const last = defaultPort + maxPortAttempts - 1;
  throw new RinglabError(
    'tunnel_unavailable',
    { reason: phrase('reasons.tunnel.ports', { first: defaultPort, last }) },
    { where: at.node.name },
  );
}

async function setMtu({ at, tunnel, shell, rights }: Member): Promise<void> {
  const label = phrase('nodeCommands.raise', { name: tunnel.name });
  const result = await rights.root(shell, at.facts, mtuScript(tunnel.name), { label });
  if (result.code !== 0) throw failed(at.node.name, result);
}

type Wanted = Omit<RaiseOptions, 'name' | 'port'>;

/**
 * Another program, or another lab that is prepared now, may have taken the port since it was found free: then the next one.
 * @returns the port that the interface has
 */
async function raiseAtPort(
  member: Member,
  wanted: Wanted,
  port: number,
  inUse: Iterable<number>,
  signal: AbortSignal,
): Promise<number> {
  const ports = new Set(inUse);
  let at = port;
  while (
    (await raiseOne(member, { name: member.tunnel.name, port: at, ...wanted }, signal)) === 'port_in_use'
  ) {
    ports.add(at);
    at = portOf(member, { ports, own: undefined });
  }
  return at;
}

async function raiseOne(
  { at, tunnel, shell, record, rights }: Member,
  one: RaiseOptions,
  signal: AbortSignal,
): Promise<'raised' | 'port_in_use'> {
  const command = raiseScript(one);
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
    return 'raised';
  }
  if (result.code === raiseExits.portInUse) return 'port_in_use';
  const why: Partial<Record<number, Phrase>> = {
    [raiseExits.noKey]: phrase('reasons.tunnel.keyGone'),
    [raiseExits.noWay]: phrase('reasons.tunnel.noWay'),
    [raiseExits.noTun]: phrase('reasons.tunnel.noTun'),
    [raiseExits.noInterface]: phrase('reasons.tunnel.noInterface'),
  };
  throw failed(at.node.name, result, why[result.code ?? -1]);
}
