/** What a run’s ranks wrote beside the trainer’s own lines: scalars, files, progress, and what could not be collected. */
import * as z from 'zod';
import { metricNumber, type MetricLine, type Point } from '../metrics/metrics.ts';
import { asOneLine } from '../base/plain-text.ts';
import { collectivesKind, collectivesOf, RankCollectives } from './collective-wait.ts';
import { collectEndKind } from './newest-of-ranks.ts';
import { profileKind, profilesOf, RankProfile } from './rank-profile.ts';

/** The kind of lines with scalars, and how a scalar's name becomes the field of a series. */
export const scalarKind = 'scalar';
const fieldPrefix = 'values.';
export const longestScalarName = 180;
export const scalarField = (name: string): `values.${string}` => `${fieldPrefix}${name}`;
/** Undefined for a field that is no scalar's. */
export const scalarName = (field: string): string | undefined =>
  field.startsWith(fieldPrefix) && field.length > fieldPrefix.length
    ? field.slice(fieldPrefix.length)
    : undefined;

const Rank = z.number().int().nonnegative();
const Count = z.number().int().nonnegative();

/** One scalar of a run, and the ranks that have it, ascending. `steps`, `epochs`: how many points have one. */
export const RunScalar = z.object({
  name: z.string().min(1).max(longestScalarName),
  ranks: z.array(z.object({ rank: Rank, points: Count, steps: Count, epochs: Count })),
});
export type RunScalar = z.infer<typeof RunScalar>;

/** A relative path below the run's folder: it comes from a node, so that anything else is refused. */
export const OutputPath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\p{Cc}\u2028\u2029\\]+$/u, 'backslash')
  .refine(
    (path) => !path.startsWith('/') && path.split('/').every((part) => part !== '' && part !== '..'),
    'path_outside',
  );

export const OutputFile = z.object({
  rank: Rank,
  path: OutputPath,
  bytes: z.number().nonnegative(),
  /** Unix seconds of the file's last change, on the node's clock. */
  modified: z.number(),
  /** Unix seconds at which it was seen, on this computer's clock: places it among a scalar's points. */
  t: z.number(),
});
export type OutputFile = z.infer<typeof OutputFile>;

/** A file of a rank as one name, for exports: `rank-0/checkpoints/last.ckpt`. */
export type OutputRef = `rank-${number}/${string}`;
export const outputRef = ({ rank, path }: Pick<OutputFile, 'rank' | 'path'>): OutputRef =>
  `rank-${rank}/${path}`;
const refParts = /^rank-(\d{1,5})\/(.+)$/su;
export const isOutputRef = (name: string): name is OutputRef =>
  OutputPath.safeParse(refParts.exec(name)?.[2] ?? '').success;
export const OutputRef = z.custom<OutputRef>((name) => typeof name === 'string' && isOutputRef(name));
export function outputOf(ref: OutputRef): Pick<OutputFile, 'rank' | 'path'> {
  const [, rank = '', path = ''] = refParts.exec(ref) ?? [];
  return { rank: Number(rank), path };
}

export const CollectProblem = z.object({
  rank: Rank,
  t: z.number(),
  file: z.string().max(1000),
  reason: z.string().max(1000),
});
export type CollectProblem = z.infer<typeof CollectProblem>;

const Whole = z.number().nonnegative().optional();
/** Inferred from what the script prints; absent where it is unknown. `remaining` in seconds. */
export const ScriptProgress = z.object({
  t: z.number(),
  step: Whole,
  steps: Whole,
  epoch: Whole,
  epochs: Whole,
  remaining: Whole,
});
export type ScriptProgress = z.infer<typeof ScriptProgress>;

export const RunOutputs = z.object({
  /** In natural order of their names. */
  scalars: z.array(RunScalar),
  /** The newest state of each file, newest first. */
  files: z.array(OutputFile),
  /** Oldest first, each once. */
  problems: z.array(CollectProblem),
  /** Of the lowest rank that reported any. */
  progress: ScriptProgress.optional(),
  /** The newest of each rank of the newest attempt; a rank is the script's own, which an agent's workers count. */
  collectives: z.array(RankCollectives),
  /** As `collectives`. */
  profiles: z.array(RankProfile),
});
export type RunOutputs = z.infer<typeof RunOutputs>;

/** The kinds of lines that outputs are read from; scalars are read from the catalogue. */
export const outputKinds = [
  'file',
  'script_progress',
  'collect_problem',
  collectivesKind,
  profileKind,
  collectEndKind,
] as const;
/** Maximum number of their lines that are read. */
export const maxOutputLines = 5000;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** `layer2` before `layer10`; ties by code units, so that the order is total. */
const naturalOrder = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

/** Undefined where a node's monitor wrote the line. */
export const rankOf = (source: string): number | undefined => {
  const digits = /^rank-(\d{1,5})$/.exec(source)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

interface Counted {
  readonly source: string;
  readonly kind: string;
  readonly field: string;
  readonly points: number;
  readonly steps: number;
  readonly epochs: number;
}

export function scalarsOf(catalogue: readonly Counted[]): RunScalar[] {
  const found = new Map<string, RunScalar['ranks'][number][]>();
  for (const { source, kind, field, points, steps, epochs } of catalogue) {
    const rank = rankOf(source);
    const name = kind === scalarKind ? scalarName(field) : undefined;
    if (rank === undefined || name === undefined || name.length > longestScalarName || points === 0) continue;
    const ranks = found.get(name) ?? [];
    ranks.push({ rank, points, steps, epochs });
    found.set(name, ranks);
  }
  return [...found]
    .map(([name, ranks]) => ({ name, ranks: ranks.sort((a, b) => a.rank - b.rank) }))
    .sort((a, b) => naturalOrder(a.name, b.name));
}

const finite = (value: unknown): number | undefined => {
  const number = metricNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
};

/** @param points lines of `outputKinds`, oldest first. Lines that are not as specified are left out. */
export function outputsOf(scalars: readonly RunScalar[], points: readonly Point[]): RunOutputs {
  const files = new Map<string, OutputFile>();
  const problems = new Map<string, CollectProblem>();
  const progress = new Map<number, ScriptProgress>();
  for (const { source, line } of points) {
    const rank = rankOf(source);
    if (rank === undefined) continue;
    if (line.kind === 'file') {
      const file = OutputFile.safeParse({ ...line, rank });
      // A line that says so of a file that the script has removed has no size.
      if (line.gone === true) files.delete(`${rank} ${String(line.path)}`);
      else if (file.success) files.set(`${rank} ${file.data.path}`, file.data);
    } else if (line.kind === 'collect_problem') {
      const problem = readProblem(rank, line);
      problems.set(`${rank} ${problem.file} ${problem.reason}`, problem);
    } else if (line.kind === 'script_progress') {
      const read = readProgress(line);
      if (read !== undefined) progress.set(rank, read);
    }
  }
  const [first] = [...progress].sort(([a], [b]) => a - b);
  return {
    scalars: [...scalars],
    files: [...files.values()].sort((a, b) => b.modified - a.modified || naturalOrder(a.path, b.path)),
    problems: [...problems.values()],
    collectives: collectivesOf(points),
    profiles: profilesOf(points),
    ...(first === undefined ? {} : { progress: first[1] }),
  };
}

function readProblem(rank: number, line: MetricLine): CollectProblem {
  const text = (value: unknown): string => (typeof value === 'string' ? asOneLine(value).slice(0, 1000) : '');
  return { rank, t: line.t, file: text(line.file), reason: text(line.reason) };
}

function readProgress(line: MetricLine): ScriptProgress | undefined {
  const number = (name: string): number | undefined => {
    const value = finite(line[name]);
    return value === undefined || value < 0 ? undefined : value;
  };
  const read = {
    t: line.t,
    step: number('step'),
    steps: number('steps'),
    epoch: number('epoch'),
    epochs: number('epochs'),
    remaining: number('remaining'),
  };
  return read.step === undefined && read.epoch === undefined && read.remaining === undefined
    ? undefined
    : read;
}
