/**
 * The series of one run for drawing: requested from the store, then extended by live points. Whenever points may be missing,
 * or there are more than can be seen, the store is asked again, so that the drawing always matches what is stored.
 */
import { backOffMs, type BackOff } from '../../../shared/base/back-off.ts';
import type { LabApi } from '../../../shared/contract/api.ts';
import { fromWireError, isCancelled, toWireError, type RinglabError } from '../../../shared/base/errors.ts';
import {
  metricNumber,
  numericFields,
  seriesName,
  type MetricLine,
  type Point,
  type SeriesKey,
} from '../../../shared/metrics/metrics.ts';
import { collectEndKind } from '../../../shared/run/newest-of-ranks.ts';
import type { FeedAxis } from '../scale/axis.ts';
import { emptyTrack, insert, putAfter, trackOf, type Track } from './track.ts';

export interface PointBatch {
  readonly points: readonly Point[];
  readonly truncated: boolean;
}

export interface FeedOptions {
  readonly api: Pick<LabApi, 'call'>;
  readonly runId: string;
  readonly keys: readonly SeriesKey[];
  readonly x: FeedAxis;
  /** The visible range of x; without it everything, including new points. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  /** Points to request for each series. Live points may double them before the store is asked again. */
  readonly maxPoints: number;
  readonly subscribe: (listener: (batch: PointBatch) => void) => () => void;
  /** Schedules a function; returns a function that cancels it. */
  readonly later: (run: () => void, milliseconds: number) => () => void;
}

interface FeedState {
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly error?: RinglabError | undefined;
}

export interface Feed {
  readonly state: FeedState;
  track(key: SeriesKey): Track | undefined;
  /** Increases with every change of a track or of the state. */
  readonly version: number;
  onChange(listener: () => void): () => void;
  reload(): void;
  close(): void;
}

/** The maximum number of series in a request. */
const maxSeries = 256;
/** The maximum number of live points during a request; beyond it, the store is asked once more. */
const maxPending = 5000;
/** The minimum time between two requests. */
const reloadGapMs = 700;
/** After failures in a row. */
const retries: BackOff = { firstMs: 1000, maxMs: 30_000 };

interface RequestedField {
  readonly field: string;
  readonly name: string;
}

export function createFeed(options: FeedOptions): Feed {
  const { api, runId, keys, x, maxPoints, range } = options;
  const listeners = new Set<() => void>();
  const abort = new AbortController();
  let tracks = new Map<string, Track>();
  let state: FeedState = { phase: 'loading' };
  let version = 0;
  let pending: Point[] | undefined;
  let mustReload = false;
  /** Before, live points would look like the whole curve. */
  let wasLoaded = false;
  let failures = 0;
  let callOff: (() => void) | undefined;
  /** Series of sources whose script's attempt has ended: the next one may do steps again. */
  const mayGoBack = new Set<string>();

  const fieldsByLines = new Map<string, RequestedField[]>();
  for (const key of keys) {
    const lines = `${key.source}/${key.kind}`;
    fieldsByLines.set(lines, [
      ...(fieldsByLines.get(lines) ?? []),
      { field: key.field, name: seriesName(key) },
    ]);
  }

  const changed = (): void => {
    version += 1;
    for (const notify of [...listeners]) notify();
  };

  /** Returns why the store must be asked again: steps are done again, or there are too many points. */
  const put = (into: Map<string, Track>, point: Point): 'again' | 'many' | undefined => {
    // A rank that restarts drops the points after its checkpoint: only the store has the valid ones.
    if (point.line.kind === 'start' && x !== 't') return 'again';
    if (point.line.kind === collectEndKind && x !== 't')
      for (const key of keys) if (key.source === point.source) mayGoBack.add(seriesName(key));
    const fields = fieldsByLines.get(`${point.source}/${point.line.kind}`);
    if (fields === undefined) return undefined;
    const at = axisValue(point.line, x);
    if (at === undefined || at < (range?.from ?? at)) return undefined;
    const isBehind = at > (range?.to ?? at);
    let flat: Map<string, number> | undefined;
    let why: 'again' | 'many' | undefined;
    for (const { field, name } of fields) {
      const value = field.includes('.')
        ? (flat ??= numericFields(point.line)).get(field)
        : metricNumber(point.line[field]);
      if (value === undefined) continue;
      const track = into.get(name) ?? emptyTrack();
      into.set(name, track);
      if (isBehind) {
        if (Number.isFinite(value)) putAfter(track, { x: at, y: value });
        continue;
      }
      const last = track.x.at(-1);
      if (last !== undefined && at <= last && mayGoBack.delete(name)) why = 'again';
      if (track.x.length < 4 * maxPoints) insert(track, at, value, point.line.seq);
      if (track.x.length > 2 * maxPoints) why ??= 'many';
    }
    return why;
  };

  const load = async (): Promise<void> => {
    callOff = undefined;
    mustReload = false;
    pending = [];
    try {
      const chunks: SeriesKey[][] = [];
      for (let i = 0; i < keys.length; i += maxSeries) chunks.push(keys.slice(i, i + maxSeries));
      const answers = await Promise.all(
        chunks.map((series) =>
          api.call('metrics.series', { runId, series, x, maxPoints, ...(range ?? {}) }, abort.signal),
        ),
      );
      // Closed during the request: the answer is ignored.
      if (abort.signal.aborted) return;
      const next = new Map<string, Track>();
      for (const series of answers.flat()) {
        const name = seriesName(series.key);
        const track = trackOf(series);
        // Versions continue from the old track, so that a cached drawing of it is not used for the new one.
        track.version = (tracks.get(name)?.version ?? 0) + 1;
        next.set(name, track);
      }
      const waiting = pending;
      pending = undefined;
      // Only a restart during the request matters: insertion merges live points and the answer.
      let stale = mustReload;
      for (const point of waiting) if (put(next, point) === 'again') stale = true;
      tracks = next;
      wasLoaded = true;
      failures = 0;
      state = { phase: 'ready' };
      changed();
      mustReload = false;
      if (stale) askAgain();
    } catch (error) {
      pending = undefined;
      if (abort.signal.aborted || isCancelled(error)) return;
      state = { phase: 'failed', error: fromWireError(toWireError(error)) };
      failures += 1;
      callOff ??= options.later(() => void load(), backOffMs(failures, retries, Math.random()));
      changed();
    }
  };

  function askAgain(): void {
    if (abort.signal.aborted) return;
    if (pending !== undefined) mustReload = true;
    else callOff ??= options.later(() => void load(), reloadGapMs);
  }

  const stop = options.subscribe(({ points, truncated }) => {
    let stale = truncated;
    let touched = false;
    for (const point of points) {
      if (pending !== undefined) {
        if (pending.length < maxPending) pending.push(point);
        else mustReload = true;
      }
      if (wasLoaded) {
        if (put(tracks, point) !== undefined) stale = true;
        touched = true;
      }
    }
    if (stale) askAgain();
    if (touched) changed();
  });
  void load();

  return {
    get state() {
      return state;
    },
    get version() {
      return version;
    },
    track: (key) => tracks.get(seriesName(key)),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reload() {
      callOff?.();
      if (pending === undefined) void load();
      else mustReload = true;
    },
    close() {
      stop();
      callOff?.();
      abort.abort();
      listeners.clear();
    },
  };
}

/** Where a line lies on an axis; lines without steps are placed by time, as the store does. */
function axisValue(line: MetricLine, x: FeedAxis): number | undefined {
  return x === 't' ? line.t : metricNumber(line[x]);
}
