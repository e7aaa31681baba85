/**
 * Applies drawn limits to real nodes during a run: each node sends to each other no faster than the narrowest drawn
 * link between them. Bandwidth only: a real link has its own delay.
 */
import { clusterOf } from '../../shared/lab/reached.ts';
import { isDeepStrictEqual } from 'node:util';
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { topologyOf } from '../../shared/lab/topology.ts';
import type { EventLog } from '../base/events.ts';
import type { Reach } from '../local/index.ts';
import { shellQuote } from '../ssh/index.ts';
import { liftScript, limitScript, renewScript, type PeerLimit } from './limit-script.ts';
import { phrase } from '../i18n/index.ts';

/** Lifetime of a limit without renewal; it is renewed three times as often. */
const lifeSeconds = 180;

export interface LimitsOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly lifeSeconds?: number;
}

export interface Limits {
  /**
   * Limits a lab's real nodes, where its experiment says so. A node that cannot be limited is reported as a problem,
   * and the run continues.
   * @param addresses by node id, as the ranks use them
   */
  apply(lab: LabDocument, addresses: ReadonlyMap<string, string>): Promise<void>;
  /** Updates the applied limits to the changed drawing. */
  reshape(lab: LabDocument): Promise<void>;
  lift(labId: string): Promise<void>;
  /** Stops renewing: applied limits expire by themselves. */
  close(): void;
}

const isIpv4 = (address: string): boolean => /^\d+(\.\d+){3}$/.test(address);

/**
 * By node id, the limits to its peers. Nodes of this computer are not limited: their links are emulated or not at
 * all.
 */
export function limitsOf(lab: LabDocument, addresses: ReadonlyMap<string, string>): Map<string, PeerLimit[]> {
  const topology = topologyOf(lab);
  const bandwidth = new Map(lab.links.map((link) => [link.id, link.bandwidthMbps]));
  const limits = new Map<string, PeerLimit[]>();
  for (const node of lab.nodes) {
    if (node.kind === 'switch' || node.access.type === 'local') continue;
    const own = addresses.get(node.id);
    const towards = lab.nodes.flatMap((peer): PeerLimit[] => {
      const address = addresses.get(peer.id);
      const hops = peer.id === node.id ? undefined : topology.route(node.id, peer.id);
      if (address === undefined || address === own || !isIpv4(address)) return [];
      if (hops === undefined || hops.length === 0) return [];
      return [
        { address, bandwidthMbps: Math.min(...hops.map(({ linkId }) => bandwidth.get(linkId) ?? Infinity)) },
      ];
    });
    if (towards.length > 0) limits.set(node.id, towards);
  }
  return limits;
}

/** As root for every login; keeps the connection's addresses. */
const asRoot = (script: string): string =>
  `PATH="$PATH:/usr/sbin:/sbin"; if [ "$(id -u)" = 0 ]; then sh -c ${shellQuote(script)}; ` +
  `else sudo -n env SSH_CONNECTION="$SSH_CONNECTION" PATH="$PATH" sh -c ${shellQuote(script)}; fi`;

interface Applied {
  lab: LabDocument;
  readonly addresses: ReadonlyMap<string, string>;
  /** Nodes with limits. */
  nodeIds: readonly string[];
  readonly timer: NodeJS.Timeout;
}

export function createLimits({ reach, events, lifeSeconds: life = lifeSeconds }: LimitsOptions): Limits {
  const applied = new Map<string, Applied>();
  const onNode = async (lab: LabDocument, nodeId: string, script: string): Promise<void> => {
    const name = lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
    const session = await reach.session(lab, nodeId);
    const { code, stdout, stderr } = await session.exec(asRoot(script), { timeoutMs: 30_000 });
    if (code === 0) return;
    const taken = /^taken (\S+) (\S+)/m.exec(stdout);
    const reason =
      taken === null
        ? stderr.trim().split('\n').at(-1) || phrase('reasons.limits.failed')
        : phrase('reasons.limits.taken', { device: taken[1] ?? '', queue: taken[2] ?? '' });
    throw new RinglabError('limit_failed', { node: name, reason }, { where: name, detail: stderr.trim() });
  };
  const each = async (
    lab: LabDocument,
    nodeIds: readonly string[],
    script: (id: string) => string,
  ): Promise<string[]> => {
    const outcomes = await Promise.allSettled(nodeIds.map((id) => onNode(lab, id, script(id))));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') events.emit('app.problem', { error: toWireError(outcome.reason) });
    return nodeIds.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  };
  const forget = (labId: string): Applied | undefined => {
    const found = applied.get(labId);
    if (found !== undefined) clearInterval(found.timer);
    applied.delete(labId);
    return found;
  };
  /** Reported, because traffic to such a peer runs at full speed without any other sign. */
  const reportUnlimited = (lab: LabDocument, addresses: ReadonlyMap<string, string>): void => {
    for (const { id, name, access } of lab.nodes) {
      const address = addresses.get(id);
      if (access.type === 'local' || address === undefined || isIpv4(address)) continue;
      const reason = phrase('reasons.limits.address', { address });
      const error = new RinglabError('limit_failed', { node: name, reason }, { where: name });
      events.emit('app.problem', { error: toWireError(error) });
    }
  };
  return {
    async apply(lab, addresses) {
      if (lab.experiment.limitLinks !== true || clusterOf(lab) !== undefined || applied.has(lab.id)) return;
      reportUnlimited(lab, addresses);
      const limits = limitsOf(lab, addresses);
      if (limits.size === 0) return;
      // An unreachable node is retried; expired limits are reported once.
      const renew = async (): Promise<void> => {
        entry.nodeIds = await each(lab, entry.nodeIds, () => renewScript(life));
      };
      const timer = setInterval(() => void renew(), (life * 1000) / 3);
      timer.unref();
      const entry: Applied = { lab, addresses, nodeIds: [], timer };
      applied.set(lab.id, entry);
      entry.nodeIds = await each(lab, [...limits.keys()], (id) => limitScript(limits.get(id) ?? [], life));
    },
    async reshape({ id: labId, links }) {
      const entry = applied.get(labId);
      if (entry === undefined) return;
      const before = limitsOf(entry.lab, entry.addresses);
      // A link that was deleted since limits as before: the run goes on with what it started with.
      const drawn = new Set(links.map(({ id }) => id));
      const deleted = entry.lab.links.filter(({ id }) => !drawn.has(id));
      entry.lab = { ...entry.lab, links: [...links, ...deleted] };
      const now = limitsOf(entry.lab, entry.addresses);
      const changed = entry.nodeIds.filter((id) => !isDeepStrictEqual(before.get(id), now.get(id)));
      await each(entry.lab, changed, (id) => limitScript(now.get(id) ?? [], life));
    },
    async lift(labId) {
      const found = forget(labId);
      if (found !== undefined) await each(found.lab, found.nodeIds, () => liftScript);
    },
    close() {
      for (const labId of [...applied.keys()]) forget(labId);
    },
  };
}
