/** For tests: a Store in memory that fulfils the contract, and whose disk can be full. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { parseMetricLine, type Point, type Source } from '../../../shared/metrics/metrics.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';

interface Kept {
  offset: number;
  /** Content of the raw file: more than `offset` after a restart. */
  raw: Buffer;
  points: Map<number, Point>;
}

export interface MemoryStore extends Store {
  full: boolean;
  readonly saved: RunRecord[];
  raw(runId: string, source: Source): string;
}

export function createMemoryStore(folder: string): MemoryStore {
  const runs = new Map<string, RunRecord>();
  const sources = new Map<string, Kept>();
  const saved: RunRecord[] = [];
  const kept = (runId: string, source: Source): Kept => {
    const key = `${runId} ${source}`;
    const found = sources.get(key) ?? { offset: 0, raw: Buffer.alloc(0), points: new Map() };
    sources.set(key, found);
    return found;
  };
  const ofRun = (runId: string): Point[] =>
    [...sources]
      .filter(([key]) => key.startsWith(`${runId} `))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, { points }]) => [...points.values()].sort((a, b) => a.line.seq - b.line.seq));
  const store: MemoryStore = {
    full: false,
    saved,
    raw: (runId, source) => kept(runId, source).raw.toString(),
    listRuns: ({ labId, endedSince } = {}) =>
      Promise.resolve(
        [...runs.values()].filter(
          (run) =>
            (labId === undefined || run.labId === labId) &&
            (endedSince === undefined || !isEnded(run.state) || (run.endedAt ?? 0) >= endedSince),
        ),
      ),
    problems: () => Promise.resolve([]),
    getRun: (runId) => Promise.resolve(runs.get(runId)),
    saveRun(run) {
      if (store.full) return Promise.reject(new RinglabError('local_disk_full', { path: folder }));
      runs.set(run.id, structuredClone(run));
      saved.push(structuredClone(run));
      return Promise.resolve();
    },
    deleteRun: (runId) => Promise.resolve(void runs.delete(runId)),
    runFolder(runId) {
      const path = join(folder, 'runs', runId);
      mkdirSync(path, { recursive: true });
      return path;
    },
    append({ runId, source, offset, bytes }) {
      if (store.full) return Promise.reject(new RinglabError('local_disk_full', { path: folder }));
      const into = kept(runId, source);
      if (offset > into.offset) {
        return Promise.reject(new RinglabError('bad_request', { path: 'offset', problem: '' }));
      }
      const fresh = Buffer.from(bytes.subarray(into.offset - offset));
      if (fresh.at(-1) !== 10 && fresh.length > 0) throw new Error('a torn line was stored');
      into.raw = Buffer.concat([into.raw, fresh]);
      into.offset += fresh.length;
      const points: Point[] = [];
      let badLines = 0;
      for (const text of fresh.toString().split('\n').slice(0, -1)) {
        const parsed = parseMetricLine(text);
        if (!parsed.ok) badLines += 1;
        else if (!into.points.has(parsed.line.seq)) {
          const point = { source, line: parsed.line };
          into.points.set(parsed.line.seq, point);
          points.push(point);
        }
      }
      return Promise.resolve({ points, badLines, nextOffset: into.offset });
    },
    offset: (runId, source) => Promise.resolve(kept(runId, source).offset),
    lastSeq: (runId, source) => Promise.resolve(Math.max(-1, ...kept(runId, source).points.keys())),
    restart: (runId, source) => Promise.resolve(void (kept(runId, source).offset = 0)),
    series: () => Promise.resolve([]),
    catalogue: () => Promise.resolve([]),
    lines: ({ runId, kinds, source, limit }) =>
      Promise.resolve(
        ofRun(runId)
          .filter((point) => kinds.includes(point.line.kind) && (source ?? point.source) === point.source)
          // Between sources the clocks decide.
          .sort((a, b) => (source === undefined ? a.line.t - b.line.t : 0))
          .slice(-limit),
      ),
    countPoints: (runId) => Promise.resolve(ofRun(runId).length),
    async *allLines(runId) {
      await Promise.resolve();
      yield* ofRun(runId);
    },
    getSetting: () => Promise.resolve(undefined),
    setSetting: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return store;
}
