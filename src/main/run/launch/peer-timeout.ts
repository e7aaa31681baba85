/** After how many seconds of silence a peer counts as lost, where the trainer's default is too short. Pure. */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { clusterOf } from '../../../shared/lab/reached.ts';
import { topologyOf } from '../../../shared/lab/topology.ts';
import { queueSeconds } from '../../net/index.ts';

/** Where a run waits for links. A peer whose process ends is noticed at once anyway. */
const patientSeconds = 3600;
/** A link that is down is noticed within a second, and TCP tries again within a second or two after the routes have changed. */
const reroutedSeconds = 6;
/** `--peer-timeout`'s default. */
const trainersDefault = 2;
/** A heartbeat is two questions to rank 0; they may take half of the time-out, and three times as long where packets are lost. */
const questions = 2;
const patience = 3;

/**
 * Heartbeats wait behind what the ranks send over the drawn links: on a link of 1 Mbps for a second each way. Undefined: the trainer's
 * default is enough.
 * @param from the nodes whose heartbeats this rank waits for
 */
export function peerTimeout(lab: LabDocument, from: readonly string[], to: string): number | undefined {
  if (lab.experiment.onLinkDown === 'wait') return patientSeconds;
  if (clusterOf(lab) !== undefined || lab.links.length === 0) return undefined;
  const topology = topologyOf(lab);
  const links = new Map(lab.links.map((link) => [link.id, link]));
  const worst = from.reduce((max, id) => {
    const hops = (topology.route(id, to) ?? []).flatMap(({ linkId }) => links.get(linkId) ?? []);
    const queued = hops.map(queueSeconds);
    const delayed = hops.map(({ delayMs, jitterMs = 0 }) => (2 * (delayMs + jitterMs)) / 1000);
    return Math.max(max, Math.max(0, ...queued) + delayed.reduce((sum, one) => sum + one, 0));
  }, 0);
  const least = lab.experiment.onLinkDown === 'reroute' ? reroutedSeconds : undefined;
  if (questions * worst <= trainersDefault / 2) return least;
  return Math.min(patientSeconds, Math.max(least ?? 0, Math.ceil(trainersDefault + patience * worst)));
}
