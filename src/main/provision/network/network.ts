/**
 * The network step, of all nodes together: finds the addresses by which nodes reach each other and rank 0's port, and
 * tests them. An emulated network is raised here, and the nodes then use their addresses in it. Changes nothing on
 * the nodes.
 *
 * Gloo also connects every rank with every other. Ring neighbours are measured (`ring-paths.ts`); other unreachable
 * peers are reported by the trainer.
 */
import { lineOf, plain, type Phrase } from '../../../shared/base/phrase.ts';
import type { Measurement, RaisedNetwork } from '../../net/index.ts';
import type { Clock } from '../../base/clock.ts';
import { recorded } from '../engine/engine.ts';
import { describeLink, type Measured } from './listener.ts';
import { listenHere } from './loopback.ts';
import type { NetworkNode, NetworkOptions, TunnelPlace } from './network-node.ts';
import { measurement, measurePairs, ringPairs } from './ring-paths.ts';
import { machineOf } from './ports.ts';
import type { StepStatus } from '../node/readiness.ts';
import { createLimit } from '../../base/limit.ts';
import { checkWayBack } from './way-back.ts';
import {
  place,
  trier,
  portSpace,
  takePort,
  candidatesOf,
  findAddress,
  ownAddress,
  noListener,
} from './rendezvous-address.ts';
import { phrase } from '../../i18n/index.ts';

export interface Network {
  readonly master: { readonly host: string; readonly port: number };
  /** By node id. */
  readonly addresses: ReadonlyMap<string, string>;
  /** By node id, shell text that starts a process in the node's namespace. */
  readonly enter: ReadonlyMap<string, string>;
  /** By node id, of those that are joined by a tunnel. */
  readonly interfaces: ReadonlyMap<string, string>;
}

/** Throws rank_unreachable (naming both nodes), no_free_port, cancelled; each node's record has its own result. */
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

  await recorded(
    { id: 'network' },
    { node: first.node, status: first.status, signal, clock },
    async (record) => {
      raised = await options.raise?.();
      for (const { node } of nodes) {
        const at = raised?.place(node.id);
        if (at === undefined) continue;
        enter.set(node.id, at.enter);
        const { address, namespace } = at;
        record.log.add(phrase('stepLog.inNamespace', { node: node.name, address, namespace }));
      }
      tunnel = await options.encrypt?.(nodes, raised, (node) =>
        node === first ? record : node.status.step('network'),
      );
      for (const { node } of nodes) {
        const at = tunnel?.get(node.id);
        if (at === undefined) continue;
        const { address, interface: device } = at;
        record.log.add(phrase('stepLog.inTunnel', { node: node.name, address, device }));
      }
      const rank0 = place(first, record, signal, enter);
      const here = raised === undefined && tunnel === undefined && allHere(nodes);
      if (here) record.log.add(phrase('stepLog.allHere'));
      remembered = raised === undefined || tunnel !== undefined ? [] : (options.remembered?.() ?? []);
      const before = reachedBefore(remembered, first, others, enter);
      if (before !== undefined) record.log.add(phrase('stepLog.measuredBefore'));
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
        port === wanted ? plain(listens) : phrase('summaries.portsInUse', { address: listens, ports: inUse });
      done(record, clock, found);
    },
  );
  if (outcome === undefined) throw new Error('recorded() neither threw nor worked');
  const { network, reached, isRemembered } = outcome;

  /** One node of each machine other than rank 0's is tested in the opposite direction. */
  const back = new Map(raised === undefined ? others.map((other) => [machineOf(other.facts), other]) : []);
  back.delete(machineOf(first.facts));
  // Rank 0's node starts a trainer for each, which takes a core while it measures.
  const limited = createLimit(Math.max(2, first.facts.cpus));
  const connecting = others.map((other) =>
    recorded({ id: 'network' }, { node: other.node, status: other.status, signal, clock }, async (record) => {
      const at = place(other, record, signal, enter);
      const address =
        (tunnel?.get(other.node.id) ?? raised?.place(other.node.id))?.address ??
        (await ownAddress(at, network.master.host, options));
      addresses.set(other.node.id, address);
      if (back.get(machineOf(other.facts)) === other) {
        const from = place(first, record, signal, enter);
        await limited(() => checkWayBack(trier(from), trier(at), address, tunnel !== undefined));
      }
      const measured = reached.get(enter.get(other.node.id) ?? machineOf(other.facts));
      const link = measured === undefined ? '' : ` · ${describeLink(measured)}`;
      done(record, clock, plain(`${address} → ${network.master.host}:${network.master.port}${link}`));
    }),
  );
  const failed = (await Promise.allSettled(connecting)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    options.ports.release(enter.get(first.node.id) ?? machineOf(first.facts), network.master.port);
    // All have ended: reports the first error in the lab's order.
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

/** Earlier measurements from every other node to rank 0's; undefined where some are missing. */
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

/** All nodes are on this computer: what the app can reach on its loopback, they can. */
const allHere = (nodes: readonly NetworkNode[]): boolean =>
  nodes.every(({ node }) => node.access.type === 'local') &&
  new Set(nodes.map(({ facts }) => machineOf(facts))).size === 1;

const done = (record: StepStatus, clock: Clock, summary: Phrase): void =>
  record.set({ state: 'done', alreadyThere: true, summary, endedAt: clock.now() / 1000 });
