/** Parses the trainer's lines (native/PROTOCOL.md); schemas of stored points and of series for charts. */
import * as z from 'zod';

/** Maximum length of a line. The trainer's longest are samples of nodes with many GPUs and processes. */
const longestMetricLine = 128 * 1024;
/** Maximum nesting: GPUs with their processes have four levels. */
const deepest = 16;
/** Maximum number of seconds since 1970 that a clock can plausibly report. */
const latestTime = 1e11;

/** The fields of every line. Unknown kinds and fields are kept: `kind` is any string, the rest is in `fields`. */
export const MetricLine = z.looseObject({
  v: z.literal(1),
  seq: z.number().int().nonnegative(),
  t: z.number().min(-latestTime).max(latestTime),
  kind: z.string().min(1).max(64),
});
export type MetricLine = z.infer<typeof MetricLine>;

/** Whether a value is nested no deeper than `deepest`. Not recursive, since the depth comes from outside. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return false;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null
        ? (Object.values(one) as unknown[]).filter((inner) => typeof inner === 'object' && inner !== null)
        : [],
    );
  }
  return true;
}

export type ParsedLine = { ok: true; line: MetricLine } | { ok: false; text: string; reason: string };

/** Parses one line (without its newline). Never throws: an invalid line is a value, to be stored and counted. */
export function parseMetricLine(text: string): ParsedLine {
  if (text.length > longestMetricLine)
    return { ok: false, text, reason: `longer than ${longestMetricLine} characters` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, text, reason: 'not JSON' };
  }
  if (!isShallow(value)) return { ok: false, text, reason: 'nested too deeply' };
  const parsed = MetricLine.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return {
      ok: false,
      text,
      reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a metrics line'}`,
    };
  }
  return { ok: true, line: parsed.data };
}

/** The metric as a number, or undefined where it is none (text, object, absent). */
export function metricNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  return undefined;
}

/** What has no curves: a line's own numbers, and members that a line has for other uses. */
const noSeries = new Set(['v', 'seq', 'settings', 'collectives', 'profile', 'counts']);

/** A list of process ids, which has no curves either. A script's value of this name is a number. */
const isPidList = (name: string, value: unknown): boolean => name === 'descendants' && Array.isArray(value);

/**
 * All numbers of a line under flat names: `loss`, `gpus.0.utilization_percent`, `network.eth0.bytes_sent`,
 * `processes.4711.cpu_percent`. Elements of arrays are keyed by `index`, `name` or `pid` where they have one: a GPU that is lost
 * leaves the places of the others.
 */
export function numericFields(line: MetricLine): Map<string, number> {
  const found = new Map<string, number>();
  const visit = (prefix: string, value: unknown, depth: number): void => {
    const number = metricNumber(value);
    if (number !== undefined) {
      found.set(prefix, number);
    } else if (depth < 4 && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        visit(`${prefix}.${arrayKey(item) ?? String(index)}`, item, depth + 1);
      });
    } else if (depth < 4 && typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!isPidList(name, inner)) visit(`${prefix}.${name}`, inner, depth + 1);
      }
    }
  };
  for (const [name, value] of Object.entries(line)) {
    if (!noSeries.has(name)) visit(name, value, 0);
  }
  return found;
}

function arrayKey(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  if ('index' in item)
    return Number.isSafeInteger(item.index) && Number(item.index) >= 0 ? String(item.index) : undefined;
  if ('name' in item && typeof item.name === 'string') return item.name;
  if ('pid' in item && typeof item.pid === 'number') return String(item.pid);
  return undefined;
}

/** The writer of a line: a rank's trainer, or a node's monitor. */
export const Source = z.string().regex(/^(rank-\d{1,5}|monitor-[A-Za-z0-9_-]{1,64})$/);
export type Source = z.infer<typeof Source>;
export const rankSource = (rank: number): Source => `rank-${rank}`;
export const monitorSource = (nodeId: string): Source => `monitor-${nodeId}`;

/** One stored line, as sent to the window. */
export const Point = z.object({ source: Source, line: MetricLine });
export type Point = z.infer<typeof Point>;

export const SeriesKey = z.object({
  source: Source,
  kind: z.string().min(1).max(64),
  /** A flat name from `numericFields`. */
  field: z.string().min(1).max(200),
});
export type SeriesKey = z.infer<typeof SeriesKey>;
export const seriesName = (key: SeriesKey): string => `${key.source}/${key.kind}/${key.field}`;

/** The maximum number of series, and of points of each, in one answer. */
export const maxSeries = 256;
export const maxSeriesPoints = 5000;

export const SeriesQuery = z.object({
  runId: z.string().min(1).max(64),
  series: z.array(SeriesKey).min(1).max(maxSeries),
  x: z.enum(['step', 'epoch', 't']),
  from: z.number().optional(),
  to: z.number().optional(),
  /** Maximum number of points returned for a series: one or two a pixel is enough. */
  maxPoints: z.number().int().min(2).max(maxSeriesPoints),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

const OutsidePoint = z.object({ x: z.number(), y: z.number() });

export const Series = z.object({
  key: SeriesKey,
  /** x values, ascending; as long as `y`. */
  x: z.array(z.number()),
  /** null where the value was not finite: a marked gap. */
  y: z.array(z.number().nullable()),
  /** Where the points are extremes of many values: the mean of those that each stands for, and how many they are. */
  means: z.array(z.number()).optional(),
  counts: z.array(z.number()).optional(),
  /** The next points outside the asked range, where they are finite: lines lead out of it to them. */
  before: OutsidePoint.optional(),
  after: OutsidePoint.optional(),
  /** How many stored points lie in the asked range before downsampling. */
  total: z.number().int(),
  /** The newest line that the store had of this kind; -1 without one. */
  newest: z.number().int(),
});
export type Series = z.infer<typeof Series>;
