/**
 * The last step, of all nodes together: by which addresses they know each other, where rank 0 listens, and that every
 * machine really reaches it there. Where the drawn network is emulated it is raised here, and the nodes know each other by
 * their addresses in it. Nothing is changed on the nodes.
 *
 * Gloo also connects every rank with every other. Neighbours in the ring are measured (`ring-paths.ts`); beyond that the
 * trainer says which peer it misses.
 */
import { lineOf, plain, type Phrase } from '../../../shared/node/diagnosis.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { candidateAddresses } from '../node/addresses.ts';
import type { Measurement, RaisedNetwork } from '../../net/index.ts';
import type { Clock } from '../../base/clock.ts';
import { recorded } from '../engine/engine.ts';
import { connect, describeLink, listen, type Listener, type Measured } from './listener.ts';
import { connectHere, listenHere } from './loopback.ts';
import type { NetworkNode } from './network-node.ts';
import { createNodeShell, type NodeShell } from '../node/node-shell.ts';
import { measurement, measurePairs, ringPairs } from './ring-paths.ts';
import { listeningScript, machineOf, parseListening, portTries, type PortPromises } from './ports.ts';
import type { StepStatus } from '../node/readiness.ts';
import type { TunnelPlace } from './tunnel/index.ts';
import { createLimit } from '../../base/limit.ts';
import { behindNat, checkWayBack, type Trier } from './way-back.ts';

export interface Network {
  readonly master: { readonly host: string; readonly port: number };
  /** By node id. */
  readonly addresses: ReadonlyMap<string, string>;
  /** By node id, shell text that starts a process in the node's namespace. */
  readonly enter: ReadonlyMap<string, string>;
  /** By node id, of those that are joined by a tunnel. */
  readonly interfaces: ReadonlyMap<string, string>;
}

/** Joins the nodes by a tunnel; what it says and meets stands in each node's record. */
export type Encrypt = (
  nodes: readonly NetworkNode[],
  raised: RaisedNetwork | undefined,
  record: (node: NetworkNode) => StepStatus,
) => Promise<ReadonlyMap<string, TunnelPlace> | undefined>;

export interface NetworkOptions {
  readonly lab: LabDocument;
  /** Rank 0's node first. */
  readonly nodes: readonly [NetworkNode, ...NetworkNode[]];
  readonly ports: PortPromises;
  /** Makes the drawn network real; undefined where the nodes meet on networks that are there already. */
  readonly raise?: (() => Promise<RaisedNetwork | undefined>) | undefined;
  /** Where the lab wants the nodes' traffic encrypted: their addresses are the tunnel's then. */
  readonly encrypt?: Encrypt | undefined;
  /** What was measured in this raised network before, while nothing about it has changed since. */
  readonly remembered?: (() => readonly Measurement[] | undefined) | undefined;
  /** Told what was measured between pairs of nodes. */
  readonly onMeasured?: ((measurements: Measurement[]) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const loopback = '127.0.0.1';

/** Throws rank_unreachable (naming both nodes), no_free_port, cancelled; each node's record says what became of it. */
export async function checkNetwork(options: NetworkOptions): Promise<Network> {
  const { nodes, signal, clock } = options;
  const [first, ...others] = nodes;
  const addresses = new Map<string, string>();
  let outcome:
    { network: Network; reached: ReadonlyMap<string, Measured>; isRemembered: boolean } | undefined;

  let raised: RaisedNetwork | undefined;
  let tunnel: ReadonlyMap<string, TunnelPlace> | undefined;
  let remembered: readonly Measurement[] = [];
  const enter = new Map<string, string>();

  await recorded('network', { node: first.node, status: first.status, signal, clock }, async (record) => {
    raised = await options.raise?.();
    for (const { node } of nodes) {
      const at = raised?.place(node.id);
      if (at === undefined) continue;
      enter.set(node.id, at.enter);
      record.log.add(`${node.name} is ${at.address} in namespace ${at.namespace}`);
    }
    tunnel = await options.encrypt?.(nodes, raised, (node) =>
      node === first ? record : node.status.step('network'),
    );
    for (const { node } of nodes) {
      const at = tunnel?.get(node.id);
      if (at !== undefined) record.log.add(`${node.name} is ${at.address} on ${at.interface}, encrypted`);
    }
    const rank0 = place(first, record, signal, enter);
    const here = raised === undefined && tunnel === undefined && allHere(nodes);
    if (here) record.log.add('all nodes are on this computer: the app itself tries its loopback');
    remembered = raised === undefined || tunnel !== undefined ? [] : (options.remembered?.() ?? []);
    const before = reachedBefore(remembered, first, others, enter);
    if (before !== undefined) record.log.add('the network stands as it was when its paths were measured');
    const drawn = (tunnel?.get(first.node.id) ?? raised?.place(first.node.id))?.address;
    const candidates = candidatesOf(options, drawn, enter);
    const { port, listener } = await takePort(rank0, options, record, {
      candidates,
      listen: before !== undefined ? () => Promise.resolve(noListener) : here ? listenHere : undefined,
    });
    try {
      const found =
        before !== undefined && drawn !== undefined
          ? { address: drawn, reached: before }
          : await findAddress(options, rank0, { port, secret: listener.secret }, candidates, enter, here);
      const master = { host: found.address, port };
      addresses.set(first.node.id, found.address);
      outcome = {
        network: { master, addresses, enter, interfaces: interfacesOf(tunnel) },
        reached: found.reached,
        isRemembered: before !== undefined,
      };
    } catch (error) {
      options.ports.release(portSpace(rank0), port);
      throw error;
    } finally {
      await listener.stop().catch(() => undefined);
    }
    const wanted = options.lab.experiment.port;
    const inUse = wanted === port - 1 ? String(wanted) : `${wanted}–${port - 1}`;
    const listens = `${outcome.network.master.host}:${port}`;
    const found =
      port === wanted
        ? plain(listens)
        : { en: `${listens} (${inUse} in use)`, 'zh-CN': `${listens}（${inUse} 被占用）` };
    done(record, clock, found);
  });
  if (outcome === undefined) throw new Error('recorded() neither threw nor worked');
  const { network, reached, isRemembered } = outcome;

  /** One node of each machine that is not rank 0's tries the way back. */
  const back = new Map(
    raised === undefined && tunnel === undefined
      ? others.map((other) => [machineOf(other.facts), other])
      : [],
  );
  back.delete(machineOf(first.facts));
  // Rank 0's node starts a trainer for each, which takes a core while it measures.
  const limited = createLimit(Math.max(2, first.facts.cpus));
  const connecting = others.map((other) =>
    recorded('network', { node: other.node, status: other.status, signal, clock }, async (record) => {
      const at = place(other, record, signal, enter);
      const address =
        (tunnel?.get(other.node.id) ?? raised?.place(other.node.id))?.address ??
        (await ownAddress(at, network.master.host, options));
      addresses.set(other.node.id, address);
      if (back.get(machineOf(other.facts)) === other) {
        const from = place(first, record, signal, enter);
        await limited(() => checkWayBack(trier(from), trier(at), address));
      }
      const measured = reached.get(enter.get(other.node.id) ?? machineOf(other.facts));
      const link = measured === undefined ? '' : ` · ${describeLink(measured)}`;
      done(record, clock, plain(`${address} → ${network.master.host}:${network.master.port}${link}`));
    }),
  );
  const failed = (await Promise.allSettled(connecting)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    options.ports.release(enter.get(first.node.id) ?? machineOf(first.facts), network.master.port);
    // All have ended: the first of them in the lab's order is told.
    await Promise.all(connecting);
  }
  const toRank0 = others.flatMap((other) => {
    const measured = reached.get(enter.get(other.node.id) ?? machineOf(other.facts));
    return measured === undefined ? [] : [measurement(other, first, measured)];
  });
  const space = ({ node, facts }: NetworkNode): string => enter.get(node.id) ?? machineOf(facts);
  const ring = ringPairs(options.lab, nodes).filter(({ from, to }) => space(from) !== space(to));
  const amongOthers = await measurePairs({
    pairs: ring.filter(({ from, to }) => rememberedOf(remembered, from, to) === undefined),
    shell: (at) => place(at, at.status.step('network'), signal, enter).shell,
    addresses,
    port: network.master.port,
    together: raised === undefined,
    onMeasured({ from, to }, found) {
      const record = from.status.step('network');
      done(record, clock, lineOf([record.snapshot().summary, `${to.node.name} ${describeLink(found)}`]));
    },
  });
  if (!isRemembered || amongOthers.length > 0) {
    const among = ring.flatMap(({ from, to }) => rememberedOf(remembered, from, to) ?? []);
    options.onMeasured?.([...toRank0, ...among, ...amongOthers]);
  }
  return network;
}

const rememberedOf = (
  remembered: readonly Measurement[],
  { node: from }: NetworkNode,
  { node: to }: NetworkNode,
): Measurement | undefined => remembered.find((one) => one.from === from.id && one.to === to.id);

/** What was measured before from every other node to rank 0's; undefined where some were not. */
function reachedBefore(
  remembered: readonly Measurement[],
  first: NetworkNode,
  others: readonly NetworkNode[],
  enter: ReadonlyMap<string, string>,
): Map<string, Measured> | undefined {
  const reached = new Map<string, Measured>();
  for (const other of others) {
    const { node, facts } = other;
    const found = rememberedOf(remembered, other, first);
    if (found === undefined) return undefined;
    const bits = found.mbps * 1e6;
    reached.set(enter.get(node.id) ?? machineOf(facts), {
      rtt_ms: found.rttMs,
      send_bits_per_second: bits,
      receive_bits_per_second: bits,
    });
  }
  return reached.size === 0 ? undefined : reached;
}

const interfacesOf = (tunnel: ReadonlyMap<string, TunnelPlace> | undefined): Map<string, string> =>
  new Map([...(tunnel ?? [])].map(([nodeId, at]) => [nodeId, at.interface]));

const noListener: Listener = { secret: '', stop: () => Promise.resolve() };

/** Nobody is anywhere else: what the app can reach on its own loopback, they can. */
const allHere = (nodes: readonly NetworkNode[]): boolean =>
  nodes.every(({ node }) => node.access.type === 'local') &&
  new Set(nodes.map(({ facts }) => machineOf(facts))).size === 1;

interface Place {
  readonly at: NetworkNode;
  readonly shell: NodeShell;
  readonly enter: string | undefined;
}
const place = (
  at: NetworkNode,
  record: StepStatus,
  signal: AbortSignal,
  enter: ReadonlyMap<string, string>,
): Place => ({
  at,
  shell: createNodeShell(at.session, record, signal, enter.get(at.node.id)),
  enter: enter.get(at.node.id),
});
const trier = ({ at, shell }: Place): Trier => ({ ...at, name: at.node.name, shell });
/** Ports are a machine's, or a namespace's. */
const portSpace = ({ at, enter }: Place): string => enter ?? machineOf(at.facts);

const done = (record: StepStatus, clock: Clock, summary: Phrase): void =>
  record.set({ state: 'done', alreadyThere: true, summary, endedAt: clock.now() / 1000 });

/** The first port that is free, promised to us, and really listened on. */
async function takePort(
  rank0: Place,
  { lab, ports }: NetworkOptions,
  record: StepStatus,
  {
    candidates,
    listen: listenOtherwise,
  }: {
    candidates: readonly string[];
    listen: ((port: number) => Promise<Listener | undefined>) | undefined;
  },
): Promise<{ port: number; listener: Listener }> {
  const machine = portSpace(rank0);
  const wanted = lab.experiment.port;
  const said = await rank0.shell.run(listeningScript, {
    label: 'list the ports that are listened on',
    quiet: true,
    brief: true,
  });
  const taken = parseListening(said);
  const listened = candidates.length === 0 ? [loopback] : candidates;
  for (;;) {
    const port = ports.promise(machine, wanted, taken, lab.id);
    if (port === undefined) {
      throw new RinglabError(
        'no_free_port',
        { first: wanted, last: Math.min(65_535, wanted + portTries - 1), host: rank0.at.node.name },
        { where: rank0.at.node.name },
      );
    }
    if (port !== wanted)
      record.log.add(`port ${wanted} is in use or promised to another run; trying ${port}`);
    try {
      const listener = await (listenOtherwise?.(port) ?? listen(rank0.shell, rank0.at, listened, port));
      if (listener !== undefined) return { port, listener };
    } catch (error) {
      // What a node says of its addresses need not be true: the trial then names both nodes.
      if (error instanceof RinglabError && /is not an address of this machine/.test(error.detail ?? ''))
        return { port, listener: noListener };
      ports.release(machine, port);
      throw error;
    }
    taken.add(port);
  }
}

/** The addresses of rank 0 that are tried, and listened on while they are. */
function candidatesOf(
  { nodes: [first, ...others] }: NetworkOptions,
  drawn: string | undefined,
  enter: ReadonlyMap<string, string>,
): string[] {
  if (drawn !== undefined) return [drawn];
  const machine = ({ node, facts }: NetworkNode): string => enter.get(node.id) ?? machineOf(facts);
  if (others.every((other) => machine(other) === machine(first))) return [loopback];
  return candidateAddresses(
    first.facts,
    first.session.target.host,
    others.map(({ facts }) => facts),
  );
}

/**
 * The first of rank 0's addresses that every other machine reaches. One node a machine tries it, one after another: the
 * listener serves one at a time.
 */
async function findAddress(
  { nodes, signal, clock }: NetworkOptions,
  rank0: Place,
  { port, secret }: { port: number; secret: string },
  candidates: readonly string[],
  enter: ReadonlyMap<string, string>,
  here: boolean,
): Promise<{ address: string; reached: Map<string, Measured> }> {
  const [first, ...others] = nodes;
  const machine = ({ node, facts }: NetworkNode): string => enter.get(node.id) ?? machineOf(facts);
  const machines = new Map(others.map((other) => [machine(other), other]));
  let failed: { from: NetworkNode; address: string } | undefined;
  for (const address of candidates) {
    const reached = new Map<string, Measured>();
    let missed: NetworkNode | undefined;
    for (const [name, other] of machines) {
      // Tried on rank 0's record: the connecting node's own begins when an address is found.
      const record = rank0.at.status.step('network');
      const { shell } = place(other, record, signal, enter);
      rank0.at.status.step('network').log.add(`from ${other.node.name}:`);
      const measured = here ? await connectHere(port) : await connect(shell, other, address, port, secret);
      if (measured === undefined) {
        missed = other;
        break;
      }
      reached.set(name, measured);
    }
    if (missed === undefined) return { address, reached };
    failed ??= { from: missed, address };
  }
  const from = failed?.from ?? others[0] ?? first;
  const address = `${failed?.address ?? '?'}:${port}`;
  const error =
    (await behindNat(from.node.name, trier(rank0), address)) ??
    new RinglabError(
      'rank_unreachable',
      { from: from.node.name, to: first.node.name, address },
      { where: from.node.name, detail: `tried: ${candidates.join(', ') || 'rank 0 has no IPv4 address'}` },
    );
  if (from !== first) {
    await recorded('network', { node: from.node, status: from.status, signal, clock }, () =>
      Promise.reject(error),
    ).catch(() => undefined);
  }
  throw error;
}

/** The address that this node's packets to rank 0 come from. */
async function ownAddress(other: Place, master: string, { nodes }: NetworkOptions): Promise<string> {
  if (master === loopback) return loopback;
  const { stdout } = await other.shell.exec(`PATH="$PATH:/usr/sbin:/sbin" ip -o route get ${master}`, {
    brief: true,
  });
  const source = /\bsrc (\d+\.\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (source !== undefined) return source;
  const { facts, session } = other.at;
  const address = candidateAddresses(
    facts,
    session.target.host,
    nodes.map((node) => node.facts),
  )[0];
  if (address === undefined) {
    throw new RinglabError('rank_unreachable', {
      from: nodes[0].node.name,
      to: other.at.node.name,
      address: 'no IPv4 address',
    });
  }
  return address;
}
