/** The restarts of the supervisors on the nodes, which need no app, from their lines (native/PROTOCOL.md). */
import * as z from 'zod';
import {
  attemptsOf,
  countedRestarts,
  maxRestarts,
  NoRestart,
  type RecoveryWait,
  type Restart,
} from '../../../shared/run/recovery.ts';
import { rankSource, type MetricLine, type Point } from '../../../shared/metrics/metrics.ts';
import { onOurClock } from '../../../shared/node/node-clock.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import { rankError } from '../follow/verdict.ts';
import { withRestart } from './policy.ts';

/** Restarts and starts of rank 0 that are read. */
const restartsRead = 2 * maxRestarts + 50;

const Steps = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Rank = z.number().int().min(0).max(99_999);
const Seconds = z.number().min(0).max(1e11);
const RestartLine = z.object({
  goes_on: z.boolean(),
  rank: Rank,
  signal: z.number().int().min(1).max(255).optional(),
  exit_code: z.number().int().min(0).max(255).optional(),
  out_of_memory: z.boolean().optional(),
  silent: z.boolean().optional(),
  code: z.string().max(64).optional(),
  message: z.string().max(2000).optional(),
  step: Steps,
  from_step: Steps,
  trained_from: Seconds.optional(),
  trained_to: Seconds.optional(),
  pause_seconds: Seconds.optional(),
  why: NoRestart.optional(),
});
type RestartLine = z.infer<typeof RestartLine>;
const WaitLine = z.object({ ranks: z.array(Rank).max(100_000) });

/** Whether the ranks were started with supervisors. */
export const isSupervised = ({ ranks }: Pick<RunRecord, 'ranks'>): boolean =>
  ranks.some(({ argv }) => argv.includes('supervise'));

/**
 * The lines about what supervisors do, in their order within a source. Rank 0 alone writes `restart`: asked for together with
 * the lines of all ranks, each of which writes `start`, the restarts of many ranks would not be among the newest.
 */
export async function supervisorLines(
  store: Pick<Store, 'lines'>,
  { id: runId, ranks }: Pick<RunRecord, 'id' | 'ranks'>,
): Promise<Point[]> {
  const source = rankSource(0);
  const limit = 2 * ranks.length + 50;
  const [own, waits] = await Promise.all([
    store.lines({ runId, kinds: ['restart', 'start'], source, limit: restartsRead }),
    store.lines({ runId, kinds: ['restart_wait'], limit }),
  ]);
  // A wait is over where its rank has started since.
  const starts = waits.length === 0 ? [] : await store.lines({ runId, kinds: ['start'], limit });
  // Since older ones all have started twice, and which start ended the wait is not among those that were read.
  const since = starts.length < limit ? -Infinity : Math.min(...starts.map(({ line }) => line.t));
  const others = [...waits, ...starts.filter((start) => start.source !== source)];
  return [...own, ...others.filter(({ line }) => line.t >= since)].sort((a, b) => a.line.seq - b.line.seq);
}

const nameOf = (run: RunRecord, rank: number): string => run.ranks[rank]?.nodeName ?? '';

function restartOf(run: RunRecord, { t, seq }: MetricLine, line: RestartLine): Restart | undefined {
  const error = rankError(
    {
      rank: line.rank,
      nodeName: nameOf(run, line.rank),
      how: line.silent === true ? 'vanished' : 'exited',
      exit: {
        code: line.exit_code ?? null,
        signal: line.signal ?? null,
        t,
        outOfMemory: line.out_of_memory ?? false,
      },
      asked: false,
      errorLine: { v: 1, seq, t, kind: 'error', step: line.step, message: line.message },
      lastWords: [],
    },
    run.epochsCompleted,
  );
  if (error === undefined) return undefined;
  const clocks = run.clocks?.[run.ranks[0]?.nodeId ?? ''];
  const { trained_from: from, trained_to: to } = line;
  return {
    by: 'node',
    attempt: attemptsOf(run),
    t,
    error,
    step: line.step,
    from: line.from_step,
    seq,
    ...(from === undefined || to === undefined
      ? {}
      : { trained: { from: onOurClock(clocks, from), to: onOurClock(clocks, to) } }),
  };
}

/** What the supervisors wait for; undefined where they do not. @param points in their order within a source */
function waitOf(run: RunRecord, points: readonly Point[]): RecoveryWait | undefined {
  const newest = new Map<string, MetricLine>();
  for (const { source, line } of points) newest.set(source, line);
  const late = [...newest.values()].flatMap((line) => {
    const wait = line.kind === 'restart_wait' ? WaitLine.safeParse(line).data : undefined;
    return wait === undefined ? [] : [{ since: line.t, names: wait.ranks.map((rank) => nameOf(run, rank)) }];
  });
  const names = [...new Set(late.flatMap((one) => one.names))].filter((name) => name !== '').slice(0, 100);
  if (names.length > 0) return { for: 'nodes', names, since: Math.min(...late.map(({ since }) => since)) };
  const last = newest.get(rankSource(0));
  const { data } = RestartLine.safeParse(last);
  const pause = data?.goes_on === true ? (data.pause_seconds ?? 0) : 0;
  if (last?.kind !== 'restart' || pause === 0) return undefined;
  return { for: 'backOff', names: [], since: last.t, until: last.t + pause };
}

const sameWait = (a: RecoveryWait | undefined, b: RecoveryWait | undefined): boolean =>
  a?.for === b?.for && a?.since === b?.since && a?.names.join('\n') === b?.names.join('\n');

/** When the app or the user last started the run again, in Unix seconds. The last start counts, not the latest time: the clock may have been set back. */
const startedAgainAt = ({ recovery }: RunRecord): number =>
  countedRestarts(recovery).findLast(({ by }) => by === undefined)?.t ?? recovery?.resumedAt ?? 0;

/**
 * `lastSeqs` of a run that is about to start: undefined unless the clock was set back since the start was decided.
 * @param now Unix seconds
 */
export async function lastSeqsAt(
  now: number,
  store: Pick<Store, 'lastSeq'>,
  run: RunRecord,
): Promise<number[] | undefined> {
  if (now >= startedAgainAt(run)) return undefined;
  return await Promise.all(run.ranks.map(({ rank }) => store.lastSeq(run.id, rankSource(rank))));
}

/**
 * Adds what the supervisors' lines say to a run's record: the same record where nothing is new.
 * @param points of `supervisorLines`
 */
export function withSupervised(run: RunRecord, points: readonly Point[]): RunRecord {
  if (isEnded(run.state) || run.state === 'recovering') return run;
  let next = run;
  const restarts = run.recovery?.restarts ?? [];
  const known = Math.max(-1, ...restarts.map(({ seq }) => seq));
  // What supervisors said before the app or the user started the run again is over.
  const since = startedAgainAt(run);
  const last = new Map(run.recovery?.lastSeqs?.map((seq, rank) => [rankSource(rank), seq]));
  const current = points.filter(
    ({ source, line }) => line.t > since || line.seq > (last.get(source) ?? Infinity),
  );
  for (const { source, line } of current) {
    if (source !== rankSource(0) || line.kind !== 'restart' || line.seq <= known) continue;
    const { data } = RestartLine.safeParse(line);
    if (data === undefined) continue;
    const failed = data.goes_on ? restartOf(next, line, data) : undefined;
    if (failed !== undefined) next = withRestart(next, failed);
    else if (data.why !== undefined && next.recovery?.ended !== data.why)
      next = { ...next, recovery: { restarts: [], ...next.recovery, ended: data.why } };
  }
  const waiting = waitOf(next, current);
  if (sameWait(next.recovery?.waiting, waiting)) return next;
  return { ...next, recovery: { restarts: [], ...next.recovery, waiting } };
}
