/**
 * Watches a node's free disk space during a run, from its monitor's samples. Reports once each time it falls below
 * the size of the next write.
 */
import { ringlabInHome } from '../../base/node-layout.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { monitorSource, type Point, type Source } from '../../../shared/metrics/metrics.ts';
import { isEnded } from '../../../shared/run/run.ts';
import type { EventLog } from '../../base/events.ts';
import { secondsNow, type Clock } from '../../base/clock.ts';
import { nextBytes } from '../launch/disk-needs.ts';
import { withEvents } from '../record/history.ts';
import type { RecordKeeper } from '../record/record.ts';

/** Hysteresis: the factor of the needed space above which a node has room again. */
const enough = 1.25;

const freeIn = (points: readonly Point[]): number | undefined =>
  points
    .map(({ line }) => (line.kind === 'sample' ? line.disk_free_bytes : undefined))
    .findLast((free) => typeof free === 'number' && free >= 0) as number | undefined;

export interface DiskWatchParts {
  readonly lab: LabDocument;
  readonly keeper: Pick<RecordKeeper, 'current' | 'change'>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Errors of storing the event. */
  readonly onError: (error: unknown) => void;
}

/**
 * @returns a callback for each source's new lines. The run continues: the previous checkpoint stays where a new one
 * does not fit.
 */
export function createDiskWatch({
  lab,
  keeper,
  events,
  clock,
  onError,
}: DiskWatchParts): (source: Source, points: readonly Point[]) => void {
  const nodes = new Map(lab.nodes.map((node) => [monitorSource(node.id), node]));
  const low = new Set<Source>();
  return (source, points) => {
    const node = nodes.get(source);
    const free = node === undefined ? undefined : freeIn(points);
    if (node === undefined || free === undefined || isEnded(keeper.current.state)) return;
    const { ranks } = keeper.current;
    const needed = nextBytes(lab, ranks[0]?.nodeId === node.id);
    if (free >= needed * enough) low.delete(source);
    if (free >= needed || low.has(source)) return;
    low.add(source);
    const path = ranks.find(({ nodeId }) => nodeId === node.id)?.directory ?? ringlabInHome;
    const error = { code: 'node_disk_low' as const, params: { path, needed, free }, where: node.name };
    events.emit('app.problem', { error });
    keeper
      .change((run) => withEvents(run, [{ t: secondsNow(clock), kind: 'disk', what: node.name }]))
      .catch(onError);
  };
}
