/**
 * Searches the logs of all ranks, merged by time. The trainer's console lines have epoch and batch, and the metrics
 * have the times of those: a line gets the time of the step it names, and lines without a step follow the one before
 * them. What an own script printed has the times at which it arrived here.
 */
import { createReadStream } from 'node:fs';
import { asTerminalShows } from '../../../shared/base/terminal-line.ts';
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import { mirrorPath, mirrorSize } from '../follow/log-mirror.ts';
import { arrivalMarks } from '../follow/log-times.ts';
import type { RunSettings } from '../record/settings.ts';
import { stepClock, type StepClock } from './step-clock.ts';

export interface LogSearch {
  /** Empty: every line. */
  readonly text: string;
  /** Maximum number of results; the newest are returned. */
  readonly limit: number;
}

interface FoundLine {
  readonly rank: number;
  /** Line number in the rank's log, from 1. */
  readonly number: number;
  readonly text: string;
  /** Unix seconds; absent before the first line that names a step, and where no arrival was noted. */
  readonly t?: number | undefined;
}

export interface FoundLines {
  /** By time, and in file order within a rank. */
  readonly lines: FoundLine[];
  /** Number of all matches, including those beyond the limit. */
  readonly total: number;
  /** Ranks whose logs are longer than the `bytes` that are copied of each, which alone are searched. */
  readonly beyond?: { readonly ranks: number[]; readonly bytes: number } | undefined;
}

/** Longer lines are cut: a dump of a tensor must not fill the window. */
const longestLine = 2000;
/** Maximum bytes of a line that are searched, its last: a progress bar draws over itself for hours, and what is said then is at the end. */
const longestSearched = 64 * 1024;
/** Maximum number of steps of each rank, and of its other lines, that have both step and time. */
const maxKnown = 2000;

interface LogServices {
  readonly store: Pick<Store, 'lines' | 'runFolder'>;
  readonly settings: Pick<RunSettings, 'logMirrorBytes'>;
}

export async function searchLogs(
  { store, settings }: LogServices,
  run: RunRecord,
  { text, limit }: LogSearch,
  signal?: AbortSignal,
): Promise<FoundLines> {
  const wanted = text.toLowerCase();
  const perRank: Awaited<ReturnType<typeof searchOne>>[] = [];
  // Sequentially: a thousand logs at once would need a thousand buffers.
  for (const { rank } of run.ranks) {
    const linesOf = (kinds: string[]): Promise<Point[]> =>
      store
        .lines({ runId: run.id, kinds, source: rankSource(rank), limit: maxKnown })
        .catch((): Point[] => []);
    // Apart: many steps would leave no room for the starts of earlier attempts.
    const others = await linesOf(['start', 'eval', 'epoch', 'checkpoint']);
    const steps = await linesOf(['step']);
    const clock = stepClock([...others, ...steps], rank, steps.length === maxKnown);
    const path = mirrorPath(store.runFolder(run.id), rank);
    perRank.push(await searchOne(path, rank, wanted, limit, clock, signal));
  }
  const total = perRank.reduce((sum, { count }) => sum + count, 0);
  const found = perRank.map((one) => one.found);
  const isDated = found.some((lines) => lines.some(({ t }) => t !== undefined));
  const lines = (isDated ? found : shared(found, limit))
    .flat()
    .sort((a, b) => (a.t ?? 0) - (b.t ?? 0) || a.rank - b.rank || a.number - b.number)
    .slice(-limit);
  const bytes = settings.logMirrorBytes;
  const ranks = run.ranks.flatMap(({ rank }, index) => ((perRank[index]?.size ?? 0) < bytes ? [] : [rank]));
  return { lines, total, ...(ranks.length === 0 ? {} : { beyond: { ranks, bytes } }) };
}

/** The newest lines of each rank, as many of one as of another where both have enough: without times none is newer. */
function shared(found: readonly FoundLine[][], limit: number): FoundLine[][] {
  let room = limit;
  return found
    .toSorted((a, b) => a.length - b.length)
    .map((lines, index) => {
      const count = Math.min(lines.length, Math.floor(room / (found.length - index)));
      room -= count;
      return lines.slice(lines.length - count);
    });
}

async function searchOne(
  path: string,
  rank: number,
  wanted: string,
  limit: number,
  clock: StepClock | undefined,
  signal: AbortSignal | undefined,
): Promise<{ found: FoundLine[]; count: number; size: number }> {
  const found: FoundLine[] = [];
  let count = 0;
  const size = await mirrorSize(path);
  // No log was copied here: no matches.
  if (size === 0) return { found, count, size };
  let number = 0;
  let t: number | undefined;
  const marks = clock === undefined ? arrivalMarks(path) : undefined;
  try {
    let mark = await marks?.next();
    for await (const { line, offset } of linesOf(path)) {
      signal?.throwIfAborted();
      number += 1;
      let now = clock?.(line);
      for (; mark?.done === false && mark.value.offset <= offset; mark = await marks?.next())
        now = mark.value.t;
      // A clock may have been set back; the log keeps its order.
      if (now !== undefined) t = Math.max(now, t ?? now);
      const at = line.toLowerCase().indexOf(wanted);
      if (at < 0) continue;
      count += 1;
      const part = around(line, at, wanted.length);
      found.push({ rank, number, text: part, ...(t === undefined ? {} : { t }) });
      // The older half is dropped at twice the limit: cutting at every line would be slow.
      if (found.length > 2 * limit) found.splice(0, found.length - limit);
    }
  } finally {
    await marks?.return(undefined);
  }
  return { found: found.slice(-limit), count, size };
}

/** At most `longestLine` characters, with the match among them. */
function around(line: string, at: number, length: number): string {
  if (at + length <= longestLine) return line.slice(0, longestLine);
  const shown = longestLine - 1;
  const from = Math.min(at - Math.floor(Math.max(0, shown - length) / 2), line.length - shown);
  return `…${line.slice(from, from + shown)}`;
}

/** The lines of a file as a terminal shows them, of each the last `longestSearched` bytes; `offset`: the bytes before them. */
async function* linesOf(path: string): AsyncGenerator<{ line: string; offset: number }> {
  let offset = 0;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  const add = (part: Buffer): void => {
    bytes += part.length;
    // An empty part would keep its whole chunk in memory.
    if (part.length === 0) return;
    kept.push(part);
    keptBytes += part.length;
    for (;;) {
      const first = kept[0]?.length ?? 0;
      if (keptBytes - first < longestSearched) return;
      kept.shift();
      keptBytes -= first;
    }
  };
  const take = (ended: number): { line: string; offset: number } => {
    const text = Buffer.concat(kept).subarray(-longestSearched).toString('utf8');
    const taken = { line: asTerminalShows(text), offset };
    offset += bytes + ended;
    [kept, keptBytes, bytes] = [[], 0, 0];
    return taken;
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, at)) {
      add(chunk.subarray(at, end));
      at = end + 1;
      yield take(1);
    }
    add(chunk.subarray(at));
  }
  if (bytes > 0) yield take(0);
}

const newline = 10;
