/**
 * Drawn limits on real nodes, while a run goes on: each node sends to each other one no faster than the narrowest drawn
 * link between them. Only bandwidth: a real link has a delay of its own.
 */
import { isDeepStrictEqual } from 'node:util';
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { topologyOf } from '../../shared/lab/topology.ts';
import type { EventLog } from '../base/events.ts';
import type { Reach } from '../local/index.ts';
import { shellQuote } from '../ssh/index.ts';
import { liftScript, limitScript, renewScript, type PeerLimit } from './limit-script.ts';
import { phrase } from '../i18n/index.ts';

/** A limit that nobody renews ends after this; it is renewed three times as often. */
const lifeSeconds = 180;

export interface LimitsOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly lifeSeconds?: number;
}

export interface Limits {
  /**
   * Limits a lab's real nodes, where its experiment says so. A node that cannot be limited is reported as a problem: the run
   * goes on without.
   * @param addresses by node id, what the ranks know each other by
   */
  apply(lab: LabDocument, addresses: ReadonlyMap<string, string>): Promise<void>;
  /** The drawing changed: what is applied follows its links at once. */
  reshape(lab: LabDocument): Promise<void>;
  lift(labId: string): Promise<void>;
  /** Ends renewing: what is applied expires by itself. */
  close(): void;
}

const isIpv4 = (address: string): boolean => /^\d+(\.\d+){3}$/.test(address);

/** By node id, what it may send to whom. Nodes of this computer are not limited: their links are emulated or nothing. */
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

/** As root, whoever logged in; the connection's own addresses come along. */
const asRoot = (script: string): string =>
  `PATH="$PATH:/usr/sbin:/sbin"; if [ "$(id -u)" = 0 ]; then sh -c ${shellQuote(script)}; ` +
  `else sudo -n env SSH_CONNECTION="$SSH_CONNECTION" PATH="$PATH" sh -c ${shellQuote(script)}; fi`;

interface Applied {
  lab: LabDocument;
  readonly addresses: ReadonlyMap<string, string>;
  /** Nodes that are limited now. */
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
  /** Said, since nothing else would show that such a peer is sent to at full speed. */
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
      if (lab.experiment.limitLinks !== true || applied.has(lab.id)) return;
      reportUnlimited(lab, addresses);
      const limits = limitsOf(lab, addresses);
      if (limits.size === 0) return;
      // A node out of reach for a moment is tried again; one whose limits have expired says so once.
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
      entry.lab = { ...entry.lab, links };
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
