/** Which of a run's lines become marks, and what is asked for to have the newest of them. */
import { rankSource, type Point, type Source } from '../../../shared/metrics/metrics.ts';

/** What counts of every rank. */
const ofAll = ['membership', 'warning', 'error'];
/**
 * What counts of who has rank 0's part alone. Each rank writes such lines: together with those of many ranks, few of its own would be
 * among the newest.
 */
const ofFirsts = ['start', 'eval', 'epoch', 'checkpoint', 'sync_change'];
/** The maximum number of newest lines of a query; a chart has room for fewer. */
const maxLines = 2000;

export interface MarksQuery {
  readonly kinds: string[];
  readonly source?: Source;
  readonly limit: number;
}

/** @param firsts the ranks that have, or had, rank 0's part, in their order */
export const marksQueries = (firsts: readonly number[]): MarksQuery[] => [
  { kinds: ofAll, limit: maxLines },
  ...firsts.map((rank) => ({ kinds: ofFirsts, source: rankSource(rank), limit: maxLines })),
  // The timeline reaches the newest step.
  ...firsts.slice(-1).map((rank) => ({ kinds: ['step'], source: rankSource(rank), limit: 1 })),
];

/** Whether new lines bring marks. */
export const bringMarks = (points: readonly Point[], firsts: readonly number[]): boolean => {
  const sources = new Set<Source>(firsts.map(rankSource));
  return points.some(
    ({ source, line }) => ofAll.includes(line.kind) || (ofFirsts.includes(line.kind) && sources.has(source)),
  );
};

/** The lines of several answers as one: each source's own order is kept, between sources the clocks decide. */
export const inOneOrder = (answers: readonly (readonly Point[])[]): Point[] =>
  [...Map.groupBy(answers.flat(), ({ source }) => source).values()]
    .flatMap((points) => {
      let at = -Infinity;
      return points
        .toSorted((a, b) => a.line.seq - b.line.seq)
        .map((point) => {
          at = Math.max(at, point.line.t);
          return { at, point };
        });
    })
    .sort((a, b) => a.at - b.at)
    .map(({ point }) => point);
