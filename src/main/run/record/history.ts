/** Events of a run beside its training, for the marks in its charts: nodes lost and back, links changed. Pure. */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { maxRunEvents, type RunEvent, type RunRecord } from '../../../shared/run/run.ts';

/** Appends events; the oldest are dropped beyond the maximum. */
export const withEvents = (run: RunRecord, events: readonly RunEvent[]): RunRecord =>
  events.length === 0 ? run : { ...run, events: [...(run.events ?? []), ...events].slice(-maxRunEvents) };

/** Adds events for nodes that became unreachable between the two records, and for those that came back. */
export function noteReach(before: RunRecord, after: RunRecord, now: number): RunRecord {
  if (before.unreachable === after.unreachable) return after;
  const nameOf = (nodeId: string): string =>
    after.lab.nodes.find((node) => node.id === nodeId)?.name ?? nodeId;
  const lost = Object.keys(after.unreachable).filter((id) => before.unreachable[id] === undefined);
  const back = Object.keys(before.unreachable).filter((id) => after.unreachable[id] === undefined);
  return withEvents(after, [
    ...lost.map((id): RunEvent => ({ t: after.unreachable[id] ?? now, kind: 'lost', what: nameOf(id) })),
    ...back.map((id): RunEvent => ({ t: now, kind: 'back', what: nameOf(id) })),
  ]);
}

/** The links that changed: 'N1 – N2: 100 Mbps → 10 Mbps'. */
export function linkChanges(before: LabDocument, after: LabDocument): string[] {
  const words = ({ bandwidthMbps, delayMs, jitterMs, lossPercent }: LabDocument['links'][number]): string =>
    [
      `${bandwidthMbps} Mbps`,
      ...(delayMs > 0 ? [`${delayMs} ms`] : []),
      ...((jitterMs ?? 0) > 0 ? [`±${jitterMs} ms`] : []),
      ...(lossPercent > 0 ? [`${lossPercent} %`] : []),
    ].join(' ');
  return after.links.flatMap((link) => {
    const old = before.links.find((one) => one.id === link.id);
    if (old === undefined || words(old) === words(link)) return [];
    const ends = link.ends.map((id) => after.nodes.find((node) => node.id === id)?.name ?? id).join(' – ');
    return [`${ends}: ${words(old)} → ${words(link)}`];
  });
}
