/** Runs as main reports them. Points are not stored here: charts subscribe to them through `subscribePoints`. */
import { useEffect } from 'react';
import { create } from 'zustand';
import { summaryOf, type RunSummary } from '../../shared/contract/api.ts';
import { trainingNodes } from '../../shared/lab/lab.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import { isUnderWay, type RunProgress, type RunRecord } from '../../shared/run/run.ts';
import { useApi } from '../api/index.ts';

/** Whole records hold their lab each: only the most recently used are kept, others are requested again. */
const maxRecords = 32;

export interface RunSlice {
  readonly records: Readonly<Record<string, RunRecord>>;
  readonly summaries: Readonly<Record<string, RunSummary>>;
  /** The run that is shown, by lab id. */
  readonly shown: Readonly<Record<string, string>>;
}

export const useRunStore = create<RunSlice>(() => ({ records: {}, summaries: {}, shown: {} }));

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

const summarise = (run: RunRecord): RunSummary => summaryOf(run, trainingNodes(run.lab).length);

/** One in the bin is removed: it is in that list alone. */
export function putRun(run: RunRecord): void {
  if (run.binned !== undefined) {
    dropRun(run.id);
    return;
  }
  useRunStore.setState((now) => {
    const others = without(now.records, run.id);
    const kept = Object.entries(others).slice(1 - maxRecords);
    return {
      records: Object.fromEntries([...kept, [run.id, run]]),
      summaries: { ...now.summaries, [run.id]: summarise(run) },
    };
  });
}

/** Applies the fields that steps changed. An unknown run is requested when it is shown. */
export function putProgress(runId: string, progress: RunProgress): void {
  useRunStore.setState((now) => {
    const record = now.records[runId];
    const summary = now.summaries[runId];
    return {
      ...(record === undefined ? {} : { records: { ...now.records, [runId]: { ...record, ...progress } } }),
      ...(summary === undefined
        ? {}
        : { summaries: { ...now.summaries, [runId]: { ...summary, ...progress } } }),
    };
  });
}

export function dropRun(runId: string): void {
  useRunStore.setState((now) => {
    return {
      records: without(now.records, runId),
      summaries: without(now.summaries, runId),
      shown: Object.fromEntries(Object.entries(now.shown).filter(([, id]) => id !== runId)),
    };
  });
}

/** All runs of a lab, from `run.list`: others are removed. */
export function putSummaries(list: readonly RunSummary[], labId?: string): void {
  useRunStore.setState((now) => ({
    summaries: {
      ...(labId === undefined
        ? {}
        : Object.fromEntries(Object.entries(now.summaries).filter(([, run]) => run.labId !== labId))),
      ...Object.fromEntries(list.map((run) => [run.id, run])),
    },
  }));
}

export const showRun = (labId: string, runId: string | undefined): void =>
  useRunStore.setState((now) => {
    const others = without(now.shown, labId);
    return { shown: runId === undefined ? others : { ...others, [labId]: runId } };
  });

/** Newest first. */
export const sortRuns = (runs: readonly RunSummary[]): RunSummary[] =>
  runs.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));

/** The run that is shown for a lab: the chosen one, else the newest that has started, else the newest. */
export function shownRunId(state: RunSlice, labId: string | undefined): string | undefined {
  if (labId === undefined) return undefined;
  const chosen = state.shown[labId];
  if (chosen !== undefined) return chosen;
  let newest: RunSummary | undefined;
  for (const run of Object.values(state.summaries)) {
    if (run.labId === labId && (newest === undefined || isShownBefore(run, newest))) newest = run;
  }
  return newest?.id;
}
const isShownBefore = (run: RunSummary, other: RunSummary): boolean =>
  (run.state === 'queued') === (other.state === 'queued')
    ? run.createdAt > other.createdAt
    : other.state === 'queued';
export const useShownRunId = (labId: string | undefined): string | undefined =>
  useRunStore((state) => shownRunId(state, labId));

/** The active run of a lab; the newest if there are several. */
export function activeRunId(state: RunSlice, labId: string): string | undefined {
  let newest: RunSummary | undefined;
  for (const run of Object.values(state.summaries)) {
    if (run.labId !== labId || !isUnderWay(run.state)) continue;
    if (newest === undefined || run.createdAt > newest.createdAt) newest = run;
  }
  return newest?.id;
}
export const useActiveRunId = (labId: string): string | undefined =>
  useRunStore((state) => activeRunId(state, labId));

/** The active run of a lab that any of these nodes belongs to, with those nodes. Where its record is not loaded, all count. */
export function usedByRun(
  labId: string,
  nodeIds: readonly string[],
): { readonly run: string; readonly nodeIds: readonly string[] } | undefined {
  const state = useRunStore.getState();
  for (const run of Object.values(state.summaries)) {
    if (run.labId !== labId || !isUnderWay(run.state)) continue;
    const drawn = state.records[run.id]?.lab.nodes.map(({ id }) => id);
    const used = nodeIds.filter((id) => drawn?.includes(id) ?? true);
    if (used.length > 0) return { run: run.name, nodeIds: used };
  }
  return undefined;
}

/** A run's whole record, kept up to date; requested if it is missing. */
export function useRun(runId: string | undefined): RunRecord | undefined {
  const api = useApi();
  const record = useRunStore((state) => (runId === undefined ? undefined : state.records[runId]));
  const missing = record === undefined;
  useEffect(() => {
    if (runId === undefined || !missing) return undefined;
    const stop = new AbortController();
    api.call('run.get', { runId }, stop.signal).then(
      (run) => {
        if (useRunStore.getState().records[run.id] === undefined) putRun(run);
      },
      () => undefined, // Removed, or the connection was lost: the resynchronisation requests it again.
    );
    return () => stop.abort();
  }, [api, runId, missing]);
  return record;
}

/** `truncated`: points were left out or missed: request `metrics.series` and `metrics.lines` again. */
export interface PointBatch {
  readonly points: readonly Point[];
  readonly truncated: boolean;
}
type PointListener = (batch: PointBatch) => void;
export interface LogGrowth {
  readonly rank: number;
  /** Bytes. */
  readonly size: number;
}
type LogListener = (growth: LogGrowth) => void;

const pointListeners = new Map<string, Set<PointListener>>();
const logListeners = new Map<string, Set<LogListener>>();

function listen<T>(map: Map<string, Set<T>>, key: string, listener: T): () => void {
  const set = map.get(key) ?? new Set<T>();
  map.set(key, set);
  set.add(listener);
  return () => {
    set.delete(listener);
    if (set.size === 0 && map.get(key) === set) map.delete(key);
  };
}

/** Newly stored points of a run, in at most ten batches per second. Returns a function that unsubscribes. */
export const subscribePoints = (runId: string, listener: PointListener): (() => void) =>
  listen(pointListeners, runId, listener);

/** A rank's log grew (with rank -1 after a gap, any may have grown). Returns a function that unsubscribes. */
export const subscribeLog = (runId: string, listener: LogListener): (() => void) =>
  listen(logListeners, runId, listener);

export function notifyPoints(runId: string, batch: PointBatch): void {
  for (const notify of [...(pointListeners.get(runId) ?? [])]) notify(batch);
}
export function notifyLog(runId: string, growth: LogGrowth): void {
  for (const notify of [...(logListeners.get(runId) ?? [])]) notify(growth);
}
/** After a gap in the events, every chart and log requests its data again. */
export function notifyAllMissed(): void {
  for (const runId of [...pointListeners.keys()]) notifyPoints(runId, { points: [], truncated: true });
  for (const runId of [...logListeners.keys()]) notifyLog(runId, { rank: -1, size: 0 });
}
