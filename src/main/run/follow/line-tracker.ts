/** Derives a run's state from newly stored lines: emits points, updates progress, keeps each rank's last lines. */
import { rankSource, type MetricLine, type Source } from '../../../shared/metrics/metrics.ts';
import {
  firstMembers,
  lostRankOf,
  maxMemberships,
  membershipOf,
  withMembership,
} from '../../../shared/run/membership.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { Appended } from '../../store/index.ts';
import type { Sight } from '../record/launcher.ts';
import { progressAfter, type Progress } from '../record/progress.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

interface LastLines {
  endLine?: MetricLine | undefined;
  errorLine?: MetricLine | undefined;
}

export interface LineTracker {
  readonly appended: (source: Source, appended: Appended) => void;
  /** The rank's last `end` and `error` lines since it last started. */
  last(rank: number): LastLines;
  /** Whether a rank has begun, which it does when all have met and have the same weights. */
  begun(): boolean;
  /** Loads what a previous process of the app stored. */
  load(): Promise<void>;
}

/** A killed launcher cannot report how its trainer ended, but the trainer's own last line can: that it was done. */
export function saidDone({ endLine }: LastLines): Sight | undefined {
  if (endLine?.exit_code !== 0) return undefined;
  const exit = { code: 0, signal: null, t: endLine.t, outOfMemory: false };
  return { state: 'exited', exit, process: undefined };
}

export function createLineTracker(
  services: Pick<RunServices, 'store' | 'events' | 'settings' | 'storedPoints'>,
  keeper: Pick<RecordKeeper, 'current' | 'change' | 'progress'>,
): LineTracker {
  const { store, events, settings } = services;
  const last = new Map<Source, LastLines>();
  let progress: Progress = {};
  const goesOn = lostRankOf(keeper.current) === 'continue';
  /** Of the ranks that have begun in this attempt: what a rank wrote before may be read late, and is of an earlier one. */
  const begun = new Set<Source>();
  /** The newest membership, of which the record may not know yet. */
  let members = keeper.current.memberships?.at(-1);

  const takeMembership = async (source: Source, line: MetricLine): Promise<void> => {
    const next = goesOn && begun.has(source) ? membershipOf(line) : undefined;
    if (next === undefined || withMembership(keeper.current, next) === undefined) return;
    if (next.generation > (members?.generation ?? 0)) members = next;
    await keeper
      .change((run) => {
        const memberships = withMembership(run, next);
        return memberships === undefined ? run : { ...run, memberships };
      })
      .catch((error: unknown) => events.emit('app.problem', { error: toWireError(error) }));
  };

  const note = (source: Source, line: MetricLine): void => {
    if (line.kind === 'start') {
      last.set(source, {});
      begun.add(source);
    } else if (line.kind === 'end') last.set(source, { ...last.get(source), endLine: line });
    else if (line.kind === 'error') last.set(source, { ...last.get(source), errorLine: line });
  };
  /** Those that are stored, but not in the record yet. @param since `seq` of the rank's last `start` line */
  const loadMemberships = async (source: Source, since: number): Promise<void> => {
    const query = { runId: keeper.current.id, kinds: ['membership'], source, limit: maxMemberships };
    for (const { line } of await store.lines(query)) if (line.seq > since) await takeMembership(source, line);
  };
  return {
    appended(source, { points, badLines, unreported = 0 }) {
      let next = progress;
      const counted: MetricLine[] = [];
      for (const { line } of points) {
        note(source, line);
        void takeMembership(source, line);
        if (source === rankSource(members?.ranks[0] ?? 0)) counted.push(line);
      }
      if (counted.length > 0)
        next = progressAfter({ bestTop1: keeper.current.bestTop1, ...progress }, counted);
      if (badLines > 0) next = { ...next, badLines: keeper.current.badLines + badLines };
      if (next !== progress) {
        progress = next;
        keeper.progress(next);
      }
      if (points.length + unreported === 0) return;
      services.storedPoints?.notify(keeper.current.id, source, { points, unreported });
      const truncated = unreported > 0 || points.length > settings.pointsPerEvent;
      events.emit('run.points', {
        runId: keeper.current.id,
        points: truncated ? points.slice(-settings.pointsPerEvent) : points,
        truncated,
      });
    },
    last: (rank) => last.get(rankSource(rank)) ?? {},
    begun: () => begun.size > 0,
    async load() {
      const { id, ranks } = keeper.current;
      for (const { rank } of ranks) {
        const source = rankSource(rank);
        const points = await store.lines({ runId: id, kinds: ['start', 'error', 'end'], source, limit: 100 });
        for (const point of points) note(source, point.line);
        const newest = points.at(-1)?.line;
        // Of a rank that has not begun again, the last one is the end of the attempt before.
        if (newest?.kind !== 'start') begun.delete(source);
        else if (goesOn) await loadMemberships(source, newest.seq);
      }
      const kinds = ['sharing', 'start', 'eval', 'epoch', 'end'];
      for (const source of firstMembers(keeper.current).map(rankSource)) {
        const steps = await store.lines({ runId: id, kinds: ['step'], source, limit: 1 });
        const marks = await store.lines({ runId: id, kinds, source, limit: 5000 });
        const ordered = [...marks, ...steps].map((point) => point.line).sort((a, b) => a.seq - b.seq);
        progress = progressAfter(progress, ordered);
      }
      if (Object.keys(progress).length > 0) keeper.progress(progress);
    },
  };
}
