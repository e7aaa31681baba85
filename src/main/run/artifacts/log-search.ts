/**
 * Searches the logs of all ranks, merged by time. The trainer's console lines have epoch and batch, and the metrics
 * have the times of those: a line gets the time of the step it names, and lines without a step follow the one before
 * them.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { metricNumber, rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { timelineOf, type Timeline } from '../../../shared/metrics/timeline.ts';
import type { Store } from '../../store/index.ts';
import { mirrorPath } from '../follow/log-mirror.ts';

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
  /** Unix seconds; absent before the first line that names a step. */
  readonly t?: number | undefined;
}

export interface FoundLines {
  /** By time, and in file order within a rank. */
  readonly lines: FoundLine[];
  /** Number of all matches, including those beyond the limit. */
  readonly total: number;
}

/** Longer lines are cut: an endless progress bar must not fill the window. */
const longestLine = 2000;
/** Maximum length of a line that is searched: a node may write a line of many megabytes. */
const longestSearched = 64 * 1024;
/** Maximum number of lines of each rank that have both step and time. */
const maxKnown = 2000;
/** `Epoch: [3][ 10/63]` of PyTorch's main.py, counted from 1 within the epoch. */
const stepLine = /^Epoch: \[(\d+)\]\[\s*(\d+)\/(\d+)\]/;

export async function searchLogs(
  store: Pick<Store, 'lines' | 'runFolder'>,
  run: RunRecord,
  { text, limit }: LogSearch,
  signal?: AbortSignal,
): Promise<FoundLines> {
  const wanted = text.toLowerCase();
  const perRank: Awaited<ReturnType<typeof searchOne>>[] = [];
  // Sequentially: a thousand logs at once would need a thousand buffers.
  for (const { rank } of run.ranks) {
    const known = await store
      .lines({
        runId: run.id,
        kinds: ['start', 'eval', 'epoch', 'checkpoint', 'step'],
        source: rankSource(rank),
        limit: maxKnown,
      })
      .catch((): Point[] => []);
    const path = mirrorPath(store.runFolder(run.id), rank);
    perRank.push(await searchOne(path, rank, wanted, limit, clockOf(known, rank), signal));
  }
  const total = perRank.reduce((sum, { count }) => sum + count, 0);
  const lines = perRank
    .flatMap(({ found }) => found)
    .sort((a, b) => (a.t ?? 0) - (b.t ?? 0) || a.rank - b.rank || a.number - b.number)
    .slice(-limit);
  return { lines, total };
}

/** The time at which this rank wrote a console line; undefined where the line names no step. */
type Clock = (line: string) => number | undefined;

function clockOf(points: readonly Point[], rank: number): Clock {
  const timeline: Timeline = timelineOf(points, rankSource(rank));
  const perEpoch = metricNumber(points.findLast(({ line }) => line.kind === 'start')?.line.steps_per_epoch);
  return (line) => {
    const [, epoch, batch, batches] = stepLine.exec(line) ?? [];
    if (epoch === undefined) return undefined;
    return timeline.timeAt(Number(epoch) * (perEpoch ?? Number(batches)) + Number(batch) - 1);
  };
}

async function searchOne(
  path: string,
  rank: number,
  wanted: string,
  limit: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<{ found: FoundLine[]; count: number }> {
  const found: FoundLine[] = [];
  let count = 0;
  // No log was copied here: no matches.
  if ((await stat(path).catch(() => undefined)) === undefined) return { found, count };
  let number = 0;
  let t: number | undefined;
  for await (const line of linesOf(path)) {
    signal?.throwIfAborted();
    number += 1;
    t = clock(line) ?? t;
    if (wanted !== '' && !line.toLowerCase().includes(wanted)) continue;
    count += 1;
    found.push({ rank, number, text: line.slice(0, longestLine), ...(t === undefined ? {} : { t }) });
    // The older half is dropped at twice the limit: cutting at every line would be slow.
    if (found.length > 2 * limit) found.splice(0, found.length - limit);
  }
  return { found: found.slice(-limit), count };
}

/** The lines of a file, each up to `longestSearched`; ended by LF or CR LF. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const parts = chunk.split('\n');
    const torn = parts.pop() ?? '';
    for (const part of parts) {
      yield withoutReturn(`${rest}${part.slice(0, longestSearched - rest.length)}`);
      rest = '';
    }
    rest += torn.slice(0, longestSearched - rest.length);
  }
  if (rest !== '') yield withoutReturn(rest);
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
