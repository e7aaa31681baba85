/** Each rank's current speed, and the straggler. Pure functions. */
import { metricNumber, type Point } from '../../../shared/metrics/metrics.ts';
import type { Members } from '../../../shared/run/membership.ts';
import { median } from '../../../shared/run/run-figures.ts';

/** Steps that the mean is taken over. */
const remembered = 24;
/** A straggler is at least this much slower than the median. */
const margin = 1.15;

interface Beat {
  readonly step: number;
  readonly imagesPerSecond: number | undefined;
  /** Seconds of the rank's own work: data loading and computing, before the reduction. */
  readonly own: number | undefined;
  readonly whole: number | undefined;
  readonly data: number | undefined;
  readonly compute: number | undefined;
  /** Seconds waited in the reduction: for the network, and for slower ranks. */
  readonly waited: number | undefined;
  readonly sentBytes: number | undefined;
  /** Seconds that an exchange was under way while the rank computed; not known on a GPU. */
  readonly hidden: number | undefined;
}
export type Pulse = ReadonlyMap<number, readonly Beat[]>;

export function beat(pulse: Pulse, points: readonly Point[]): Pulse {
  let next: Map<number, readonly Beat[]> | undefined;
  for (const { source, line } of points) {
    if (line.kind !== 'step' || !source.startsWith('rank-')) continue;
    const step = metricNumber(line.step);
    if (step === undefined) continue;
    const rank = Number(source.slice('rank-'.length));
    const data = metricNumber(line.data_seconds);
    const compute = metricNumber(line.compute_seconds);
    next ??= new Map(pulse);
    const beats = next.get(rank) ?? [];
    next.set(rank, [
      ...beats.slice(1 - remembered),
      {
        step,
        imagesPerSecond: metricNumber(line.images_per_second),
        whole: metricNumber(line.step_seconds),
        data,
        compute,
        waited: metricNumber(line.communication_seconds),
        sentBytes: metricNumber(line.bytes_sent),
        hidden: metricNumber(line.communication_hidden_seconds),
        own: data === undefined && compute === undefined ? undefined : (data ?? 0) + (compute ?? 0),
      },
    ]);
  }
  return next ?? pulse;
}

/** Without the ranks that were lost: what they did last is no current speed. */
export function ofMembers(pulse: Pulse, { memberships }: Members): Pulse {
  const there = memberships?.at(-1)?.ranks;
  return there === undefined ? pulse : new Map([...pulse].filter(([rank]) => there.includes(rank)));
}

const mean = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value): value is number => value !== undefined && Number.isFinite(value));
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
};

export interface RankSpeed {
  readonly step: number | undefined;
  readonly imagesPerSecond: number | undefined;
}

export function speedOf(pulse: Pulse, rank: number): RankSpeed {
  const beats = pulse.get(rank) ?? [];
  return { step: beats.at(-1)?.step, imagesPerSecond: mean(beats.map((one) => one.imagesPerSecond)) };
}

export interface RankTimes {
  readonly rank: number;
  /** Seconds for each step: means over the newest steps. */
  readonly whole: number;
  readonly data: number;
  readonly compute: number;
  readonly waited: number;
}

/** Of the ranks whose times are all known, in their order. */
export function timesOf(pulse: Pulse): RankTimes[] {
  return [...pulse]
    .flatMap(([rank, beats]) => {
      const [whole, data, compute, waited] = (['whole', 'data', 'compute', 'waited'] as const).map((name) =>
        mean(beats.map((one) => one[name])),
      );
      return whole === undefined || data === undefined || compute === undefined || waited === undefined
        ? []
        : [{ rank, whole, data, compute, waited }];
    })
    .sort((a, b) => a.rank - b.rank);
}

/** The straggler: the rank whose own time is clearly the longest; undefined if there is none. */
export function slowestRank(pulse: Pulse): number | undefined {
  const own = [...pulse].flatMap(([rank, beats]) => {
    const time = mean(beats.map((one) => one.own));
    return time === undefined || beats.length < 3 ? [] : [{ rank, time }];
  });
  if (own.length < 2) return undefined;
  own.sort((a, b) => b.time - a.time);
  const [first, second] = own;
  return first !== undefined && second !== undefined && first.time > second.time * margin
    ? first.rank
    : undefined;
}

export interface ExchangeRate {
  /** What a rank sends while it exchanges: the median of the ranks. */
  readonly mbps: number;
  /** On GPUs a part of the exchange is hidden behind computing and takes longer than is known. */
  readonly isUpperBound: boolean;
}

const shortestExchange = 1e-4;

/** How fast the ranks really exchange; undefined before there are enough steps. */
export function exchangeRate(pulse: Pulse): ExchangeRate | undefined {
  let isUpperBound = false;
  const rates = [...pulse.values()].flatMap((beats) => {
    if (beats.length < 3) return [];
    const sum = (values: readonly (number | undefined)[]): number =>
      values.reduce<number>((total, value) => total + (value ?? 0), 0);
    if (beats.some(({ hidden }) => hidden === undefined)) isUpperBound = true;
    const seconds = sum(beats.flatMap(({ waited, hidden }) => [waited, hidden]));
    const bytes = sum(beats.map(({ sentBytes }) => sentBytes));
    return seconds < shortestExchange || bytes === 0 ? [] : [(bytes * 8) / 1e6 / seconds];
  });
  const mbps = median(rates);
  return mbps === undefined ? undefined : { mbps, isUpperBound };
}
