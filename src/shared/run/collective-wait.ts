/** Where ranks of an own script wait for each other: found from what each rank says about its collectives. Pure. */
import * as z from 'zod';
import { shownLine } from '../base/plain-text.ts';
import type { LabDocument } from '../lab/lab.ts';
import type { Point } from '../metrics/metrics.ts';
import { newestOfRanks } from './newest-of-ranks.ts';

/** The kind of the lines, whose member of this name is a `RankCollectives` without its time (native/PROTOCOL.md). */
export const collectivesKind = 'collectives';

const Rank = z.number().int().nonnegative().max(99_999);
const LineNumber = z.number().int().nonnegative().max(1e9);

const Operation = z.object({
  /** As in `torch.distributed`: `all_reduce`. */
  name: shownLine(80),
  shape: z.array(z.number().int().nonnegative()).max(8).optional(),
  dtype: shownLine(40).optional(),
  /** The group's name; absent: the first group. */
  group: shownLine(80).optional(),
});
export type Operation = z.infer<typeof Operation>;

/** The innermost line of the script itself that a rank is in. */
const ScriptPlace = z.object({
  file: shownLine(200),
  line: LineNumber,
  function: shownLine(80),
  text: shownLine(160),
});
type ScriptPlace = z.infer<typeof ScriptPlace>;

/** The script's group is not that of all ranks: it is smaller, or its ranks meet on each node by themselves. */
const Apart = z.object({
  /** Ranks that Ringlab has started. */
  given: Rank,
  /** Where the script's ranks meet; empty where that is no host. */
  address: shownLine(200),
  /** The group's; absent before its ranks have met. */
  size: Rank.optional(),
});
type Apart = z.infer<typeof Apart>;

const RankGroup = z.object({
  name: shownLine(80),
  /** Collectives of the group that the rank has begun, in the order that is one on all ranks. */
  count: z.number().int().nonnegative(),
  ranks: z.array(Rank).max(128).optional(),
});

export const RankCollectives = z.object({
  rank: Rank,
  /** Unix seconds of the line. */
  t: z.number(),
  /** `started`: PyTorch is imported; `joining`: in `init_process_group`; `resting`: no collective has begun for `quiet` seconds; `left`: without a group. */
  state: z.enum(['started', 'joining', 'moving', 'resting', 'left']),
  quiet: z.number().nonnegative(),
  groups: z.array(RankGroup).max(16),
  operation: Operation.optional(),
  /** Innermost first: file, line, function. */
  stack: z
    .array(z.tuple([shownLine(200), LineNumber, shownLine(80)]))
    .max(12)
    .optional(),
  place: ScriptPlace.optional(),
  apart: Apart.optional(),
});
export type RankCollectives = z.infer<typeof RankCollectives>;

/** The newest of each rank: `newestOfRanks`. A child process of a rank may import PyTorch later than the rank. */
export const collectivesOf = (points: readonly Point[]): RankCollectives[] =>
  newestOfRanks(points, collectivesKind, RankCollectives, ({ state }) => state !== 'started');

interface ScriptRun {
  readonly lab: LabDocument;
  readonly ranks: readonly {
    readonly rank: number;
    readonly exit?: { readonly code: number | null; readonly t: number } | undefined;
  }[];
}

/** `t`: Unix seconds. */
interface EndedRank {
  readonly rank: number;
  readonly t: number;
}

/** The ranks that a script's process group has, as far as the run knows: an agent's workers are counted on its node. */
export const scriptRanks = (run: ScriptRun): number[] =>
  run.lab.experiment.script?.launch === 'torchrun' ? [] : run.ranks.map(({ rank }) => rank);

/** Ranks whose process has ended well; none of an agent's workers, of which the run has only the agent. */
export const ranksDone = (run: ScriptRun): EndedRank[] =>
  scriptRanks(run).length === 0
    ? []
    : run.ranks.flatMap(({ rank, exit }) => (exit?.code === 0 ? [{ rank, t: exit.t }] : []));

/** Where one rank stands in a wait. */
export interface RankPlace {
  readonly rank: number;
  /** Collectives that it has begun in the group; undefined where it has said nothing. */
  readonly count?: number | undefined;
  /** Unix seconds since when it has begun none. */
  readonly since?: number | undefined;
  readonly operation?: Operation | undefined;
  readonly place?: ScriptPlace | undefined;
  readonly stack?: RankCollectives['stack'];
}

export interface CollectiveWait {
  /**
   * `missing`: ranks have not entered a collective that others wait in. `different`: all are in one, but not in the same.
   * `joining`: ranks have not called `init_process_group`; `alone`: none has. `all`: all are in the same one, which does not end.
   * `apart`: the script's groups are not of all ranks, which do not share their work.
   * `ending`: the others have ended, and not even the thread of a rank's Python that watches its collectives gets to run.
   */
  readonly kind: 'missing' | 'different' | 'joining' | 'alone' | 'apart' | 'all' | 'ending';
  /** The collective's number in its group, from 1; 0 where ranks join or end. */
  readonly number: number;
  readonly operation: Operation | undefined;
  /** Unix seconds since when the first rank has waited. */
  readonly since: number;
  readonly waiting: readonly RankPlace[];
  readonly missing: readonly RankPlace[];
  /** Of kind `apart`. */
  readonly apart?: Apart | undefined;
}

/** It is no wait: true of a script that ended well, too. */
export const isOfTheScript = ({ kind }: CollectiveWait): boolean => kind === 'alone' || kind === 'apart';

/** Calls of two ranks alone: others need not enter them. */
const pairwise = new Set(['send', 'recv', 'isend', 'irecv', 'batch_isend_irecv']);
/** In these each rank must give the same shape. */
const sameShape = new Set([
  'all_reduce',
  'reduce',
  'broadcast',
  'all_gather',
  'gather',
  'all_gather_into_tensor',
]);
/** Seconds in which a rank may come to say that it rests, or to join. */
const settling = 15;
/** Seconds from the import of PyTorch after which a script that distributes its training has usually joined. */
const longStart = 60;
/** Seconds after the end of another in which a rank that runs says that it rests. */
const longEnd = 60;

const placeOf = (record: RankCollectives, group?: string): RankPlace => ({
  rank: record.rank,
  count: record.groups.find(({ name }) => name === group)?.count,
  ...(record.state === 'moving' ? {} : { since: record.t - record.quiet }),
  operation: record.operation,
  place: record.place,
  stack: record.stack,
});

const earliest = (places: readonly RankPlace[]): number =>
  Math.min(...places.flatMap(({ since }) => (since === undefined ? [] : [since])));

/**
 * Undefined where nobody waits, as far as the ranks have said.
 * @param records of `collectivesOf`
 * @param ranks of the run's script; those without a record have not called `init_process_group`
 * @param now Unix seconds
 * @param done of `ranksDone`
 */
export function waitOf(
  records: readonly RankCollectives[],
  ranks: readonly number[],
  now: number,
  done: readonly EndedRank[] = [],
): CollectiveWait | undefined {
  const own = records.find(({ apart }) => apart !== undefined);
  if (own !== undefined)
    return {
      ...{ kind: 'apart', number: 0, operation: undefined, since: own.t, waiting: [], missing: [] },
      apart: own.apart,
    };
  // Each says so when it begins: ranks start at different times.
  const joining = records.filter(({ state, t }) => state === 'joining' && now - t >= settling);
  const known = new Set(records.filter(({ state }) => state !== 'started').map(({ rank }) => rank));
  if (joining.length > 0) {
    const waiting = joining.map((record) => placeOf(record));
    const missing = ranks.filter((rank) => !known.has(rank)).map((rank) => ({ rank }));
    const since = earliest(waiting);
    return { kind: 'joining', number: 0, operation: undefined, since, waiting, missing };
  }
  const started = records.filter(({ state }) => state === 'started');
  const since = Math.max(...started.map(({ t }) => t));
  if (ranks.length > 1 && started.length === ranks.length && now - since >= longStart) {
    const missing = started.map(({ rank }) => ({ rank }));
    return { kind: 'alone', number: 0, operation: undefined, since, waiting: [], missing };
  }
  const names = [...new Set(records.flatMap(({ groups }) => groups.map(({ name }) => name)))];
  const waits = names.flatMap((name) => waitIn(name, records, now) ?? []);
  return waits.sort((a, b) => a.since - b.since)[0] ?? endOf(records, ranks, now, done);
}

function endOf(
  records: readonly RankCollectives[],
  ranks: readonly number[],
  now: number,
  done: readonly EndedRank[],
): CollectiveWait | undefined {
  const left = ranks.filter((rank) => !done.some((one) => one.rank === rank));
  const since = Math.max(...done.map(({ t }) => t));
  const silent = records.filter(
    ({ rank, state, t }) => left.includes(rank) && state === 'moving' && now - t >= longEnd,
  );
  const isSilent = left.length > 0 && silent.length === left.length;
  if (done.length === 0 || !isSilent || now - since < longEnd) return undefined;
  const waiting = done.map(({ rank, t }) => ({ rank, since: t }));
  const missing = left.map((rank) => ({ rank }));
  return { kind: 'ending', number: 0, operation: undefined, since, waiting, missing };
}

function waitIn(name: string, records: readonly RankCollectives[], now: number): CollectiveWait | undefined {
  const listed = records.flatMap(({ groups }) => groups.find((group) => group.name === name)?.ranks ?? []);
  const all = new Set(listed);
  const members = records.filter(
    ({ rank, state, groups }) =>
      groups.some((group) => group.name === name) || (state === 'left' && all.has(rank)),
  );
  const countOf = (record: RankCollectives): number =>
    record.groups.find((group) => group.name === name)?.count ?? 0;
  const number = Math.max(0, ...members.map(countOf));
  if (number === 0) return undefined;
  const here = ({ operation, groups }: RankCollectives): boolean =>
    operation === undefined || (operation.group ?? groups[0]?.name) === name;
  const waiting = members.filter(
    (record) => record.state === 'resting' && countOf(record) === number && here(record),
  );
  if (waiting.length === 0) return undefined;
  const newest = Math.max(...waiting.map(({ t }) => t));
  const behind = members.filter((record) => countOf(record) < number);
  // What a moving rank said is old: it counts as behind where it has had the time to say that it rests.
  const unsure = behind.some(({ state }) => state === 'moving') && now - newest < settling;
  if (unsure) return undefined;
  const places = waiting.map((record) => placeOf(record, name));
  const first = waiting.find(({ operation }) => operation !== undefined)?.operation;
  const common = { number, operation: first, since: earliest(places), waiting: places };
  if (behind.length > 0)
    return { kind: 'missing', ...common, missing: behind.map((record) => placeOf(record, name)) };
  const operations = waiting.map(({ operation }) => operation);
  if (waiting.length < members.length || members.length < 2 || first === undefined) return undefined;
  if (operations.some((operation) => operation === undefined || pairwise.has(operation.name)))
    return undefined;
  const signature = (operation: Operation): string =>
    `${operation.name} ${sameShape.has(operation.name) ? `${operation.shape?.join('x') ?? ''} ${operation.dtype ?? ''}` : ''}`;
  const differ = new Set(operations.flatMap((one) => (one === undefined ? [] : [signature(one)]))).size > 1;
  return { kind: differ ? 'different' : 'all', ...common, missing: [] };
}
