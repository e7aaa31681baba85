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
import { createKeyedQueue } from '../base/serial-queue.ts';
import type { Reach } from '../local/index.ts';
import { shellQuote, type ExecResult } from '../ssh/index.ts';
import { liftScript, limitScript, renewScript, type PeerLimit } from './limit-script.ts';
import { labTag, ownerOf } from './names.ts';
import { phrase } from '../i18n/index.ts';
import { withDeletedLinks } from './reshaped.ts';

/** Lifetime of a limit without renewal; it is renewed three times as often. */
const lifeSeconds = 180;

export interface LimitsOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  /** Identifies the owner of limits, with the lab. */
  readonly dataFolder: string;
  readonly lifeSeconds?: number;
}

export interface Limits {
  /**
   * Limits a lab's real nodes, where its experiment says so. A node that cannot be limited is reported as a problem and
   * tried again with every renewal, and the run continues. Renews the limits where they are those already; after a
   * recovery nodes or addresses may be others.
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

/**
 * The lab of a run with the links as they are drawn now. In a run a link may lead to a node that took another one's
 * place.
 */
function asDrawn(lab: LabDocument, drawn: LabDocument['links'] | undefined): LabDocument {
  if (drawn === undefined) return lab;
  const ends = new Map(lab.links.map((link) => [link.id, link.ends]));
  const links = drawn.map((link) => ({ ...link, ends: ends.get(link.id) ?? link.ends }));
  return withDeletedLinks(lab, { ...lab, links });
}

/** Which machines a run uses, and where its ranks find each other. */
const placesOf = ({ nodes }: LabDocument, addresses: ReadonlyMap<string, string>): unknown[] =>
  nodes.flatMap(({ id, access }) => (addresses.has(id) ? [{ id, access, address: addresses.get(id) }] : []));

/** As root for every login; keeps the connection's addresses. */
const asRoot = (script: string): string =>
  `PATH="$PATH:/usr/sbin:/sbin"; if [ "$(id -u)" = 0 ]; then sh -c ${shellQuote(script)}; ` +
  `else sudo -n env SSH_CONNECTION="$SSH_CONNECTION" PATH="$PATH" sh -c ${shellQuote(script)}; fi`;

interface LimitedNode {
  readonly id: string;
  /** Whether its last script failed: its limits may be gone, or those of an earlier drawing. */
  isFailing: boolean;
  isRenewing: boolean;
}

interface Applied {
  lab: LabDocument;
  /** Of the last change of the drawing. */
  drawn: LabDocument['links'] | undefined;
  readonly addresses: ReadonlyMap<string, string>;
  readonly nodes: readonly LimitedNode[];
  readonly timer: NodeJS.Timeout;
}

export function createLimits({
  reach,
  events,
  dataFolder,
  lifeSeconds: life = lifeSeconds,
}: LimitsOptions): Limits {
  const owner = ownerOf(dataFolder);
  const applied = new Map<string, Applied>();
  /** By node: what is lifted must not be limited again by a renewal that began before. */
  const inTurn = createKeyedQueue();
  const nameOf = (lab: LabDocument, nodeId: string): string =>
    lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
  const run = async (lab: LabDocument, nodeId: string, script: string): Promise<ExecResult> => {
    const session = await reach.session(lab, nodeId);
    return session.exec(asRoot(script), { timeoutMs: 30_000 });
  };
  const peerAt = (lab: LabDocument, address: string): string => {
    const addresses = [...(applied.get(lab.id)?.addresses ?? [])];
    return nameOf(lab, addresses.find(([, own]) => own === address)?.[0] ?? address);
  };
  const mustRun = async (lab: LabDocument, nodeId: string, script: string): Promise<void> => {
    const { code, stdout, stderr } = await run(lab, nodeId, script);
    if (code === 0) return;
    const name = nameOf(lab, nodeId);
    const [, device, queue = ''] = /^taken (\S+) (\S+)/m.exec(stdout) ?? [];
    const [, peer] = /^noroute (\S+)/m.exec(stdout) ?? [];
    const reason =
      device !== undefined
        ? phrase('reasons.limits.taken', { device, queue })
        : peer !== undefined
          ? phrase('reasons.limits.noRoute', { peer: peerAt(lab, peer), address: peer })
          : /^held$/m.test(stdout)
            ? phrase('reasons.limits.held')
            : stderr.trim().split('\n').at(-1) || phrase('reasons.limits.failed');
    throw new RinglabError('limit_failed', { node: name, reason }, { where: name, detail: stderr.trim() });
  };
  /** Of failures in a row the first is reported. Never rejects. */
  const onNode = (labId: string, node: LimitedNode, work: () => Promise<void>): Promise<void> =>
    inTurn(`${labId} ${node.id}`, async () => {
      try {
        await work();
        node.isFailing = false;
      } catch (error) {
        if (!node.isFailing) events.emit('app.problem', { error: toWireError(error) });
        node.isFailing = true;
      }
    });
  const wantedBy = ({ lab, addresses }: Applied, { id }: LimitedNode): readonly PeerLimit[] =>
    limitsOf(lab, addresses).get(id) ?? [];
  const setLimits = async (entry: Applied, node: LimitedNode): Promise<void> =>
    mustRun(entry.lab, node.id, limitScript(wantedBy(entry, node), life, labTag(owner, entry.lab.id)));
  const isApplied = (entry: Applied): boolean => applied.get(entry.lab.id) === entry;
  /** Limits that are gone, as after an outage longer than their life, are set again. */
  const renew = async (entry: Applied, node: LimitedNode): Promise<void> => {
    if (node.isRenewing) return;
    node.isRenewing = true;
    await onNode(entry.lab.id, node, async () => {
      const script = renewScript(wantedBy(entry, node), life, labTag(owner, entry.lab.id));
      const isRenewed = !node.isFailing && (await run(entry.lab, node.id, script)).code === 0;
      if (!isRenewed && isApplied(entry)) await setLimits(entry, node);
    });
    node.isRenewing = false;
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
  const start = async (
    lab: LabDocument,
    addresses: ReadonlyMap<string, string>,
    limits: ReadonlyMap<string, unknown>,
    drawn: Applied['drawn'],
  ): Promise<void> => {
    if (limits.size === 0) return;
    const timer = setInterval(
      () => entry.nodes.forEach((node) => void renew(entry, node)),
      (life * 1000) / 3,
    );
    timer.unref();
    const nodes = [...limits.keys()].map((id) => ({ id, isFailing: false, isRenewing: false }));
    const entry: Applied = { lab, drawn, addresses, nodes, timer };
    applied.set(lab.id, entry);
    await Promise.all(nodes.map((node) => onNode(lab.id, node, () => setLimits(entry, node))));
  };
  /** Lifts the limits of a node that takes part no longer. Where it is not reached, its watchdog does. Never rejects. */
  const leave = (lab: LabDocument, { id, isFailing }: LimitedNode): Promise<void> =>
    inTurn(`${lab.id} ${id}`, async () => {
      if (!isFailing) await run(lab, id, liftScript(labTag(owner, lab.id))).catch(() => undefined);
    });
  return {
    async apply(lab, addresses) {
      if (lab.experiment.limitLinks !== true || clusterOf(lab) !== undefined) return;
      const before = applied.get(lab.id);
      if (before !== undefined) {
        if (isDeepStrictEqual(placesOf(before.lab, before.addresses), placesOf(lab, addresses))) {
          // A recovery may follow from what took the limits away, such as an interface that was made again.
          await Promise.all(before.nodes.map((node) => renew(before, node)));
          return;
        }
        forget(lab.id);
      }
      reportUnlimited(lab, addresses);
      const now = asDrawn(lab, before?.drawn);
      const limits = limitsOf(now, addresses);
      const left = before?.nodes.filter(({ id }) => !limits.has(id)).map((node) => leave(before.lab, node));
      await Promise.all([...(left ?? []), start(now, addresses, limits, before?.drawn)]);
    },
    async reshape({ id: labId, links }) {
      const entry = applied.get(labId);
      if (entry === undefined) return;
      const before = limitsOf(entry.lab, entry.addresses);
      entry.drawn = links;
      entry.lab = asDrawn(entry.lab, links);
      const now = limitsOf(entry.lab, entry.addresses);
      const changed = entry.nodes.filter(({ id }) => !isDeepStrictEqual(before.get(id), now.get(id)));
      await Promise.all(changed.map((node) => onNode(labId, node, () => setLimits(entry, node))));
    },
    async lift(labId) {
      const found = forget(labId);
      const lifted = found?.nodes.map((node) =>
        onNode(labId, node, () => mustRun(found.lab, node.id, liftScript(labTag(owner, labId)))),
      );
      await Promise.all(lifted ?? []);
    },
    close() {
      for (const labId of [...applied.keys()]) forget(labId);
    },
  };
}
