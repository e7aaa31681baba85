/** Prints a run's result as one JSON object, and exports its files. */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { LabApi } from '../../../shared/contract/api.ts';
import { describeError, errorLines } from '../../../shared/i18n/error-texts.ts';
import { say } from '../../../shared/i18n/say.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import { joinedSeries } from '../../../shared/metrics/joined-series.ts';
import { rankSource, type SeriesQuery } from '../../../shared/metrics/metrics.ts';
import { firstMembers } from '../../../shared/run/membership.ts';
import type { Artifact, ExportedFile, RunRecord } from '../../../shared/run/run.ts';
import { workLost } from '../../../shared/run/recovery.ts';
import { chartFile, reportedScalars, scalarCharts, type Chart } from '../../run/index.ts';
import { copyTo } from './platform.ts';
import { language, speak } from './speak.ts';

const defaultArtifacts: readonly Artifact[] = [
  'model_best.pth.tar',
  'checkpoint.pth.tar',
  'metrics.csv',
  'metrics.json',
  'commands.sh',
];

/** The same for an own script, which has no files of the native trainer. */
export const scriptArtifacts: readonly Artifact[] = ['metrics.csv', 'metrics.json', 'commands.sh'];

export const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/**
 * Names for what Ringlab puts beside a script's files: no file of a script, and no folder of one, is replaced.
 * @param files paths below the folder
 */
export function namesBeside(files: readonly string[]): (name: string) => string {
  // Also where the file system does not distinguish case.
  const used = new Set(files.map((path) => path.split(/[\\/]/, 1)[0]?.toLowerCase()));
  const free = (name: string): string => (used.has(name.toLowerCase()) ? free(`ringlab-${name}`) : name);
  return free;
}

/**
 * Prints why a file is missing, unless the signal has ended the fetching. Throws where no other can be had: Ringlab's app has ended,
 * not a node's connection.
 */
export function reportMissing(error: unknown, signal: AbortSignal | undefined): void {
  if (
    !(error instanceof RinglabError) ||
    (error.code === 'connection_lost' && error.params.host === 'Ringlab')
  )
    throw error;
  if (!isOver(signal)) process.stderr.write(`${describeError(error, language).message}\n`);
}

interface Taking {
  readonly artifacts?: readonly ExportedFile[];
  readonly nameFor?: (name: string) => string;
  /** Stops the fetching; files that are there already are returned. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies the available files into `out`; reports missing ones on standard error, and those that have another name there.
 */
export async function takeHome(
  api: Pick<LabApi, 'call'>,
  runId: string,
  out: string,
  { artifacts = defaultArtifacts, nameFor = (name) => name, signal }: Taking = {},
): Promise<Map<ExportedFile, string>> {
  const taken = new Map<ExportedFile, string>();
  for (const artifact of artifacts) {
    if (isOver(signal)) break;
    try {
      const file = await api.call('run.file', { runId, artifact }, signal);
      const name = nameFor(file.name);
      taken.set(artifact, (await copyTo(out, { ...file, name })).savedTo);
      if (name !== file.name)
        process.stderr.write(`${speak('cli.scriptHasIt', { name: file.name, own: name })}\n`);
    } catch (error) {
      // A run without a checkpoint still has metrics.
      reportMissing(error, signal);
    }
  }
  return taken;
}

/** The common fields of every command about one run. */
export async function describeRun(
  api: Pick<LabApi, 'call'>,
  run: RunRecord,
  taken: ReadonlyMap<ExportedFile, string> = new Map(),
  files: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const [figures] = await api.call('run.figures', { runIds: [run.id] });
  const { lines } = await api.call('metrics.count', { runId: run.id });
  const nodeIds = [...new Set(run.ranks.map((rank) => rank.nodeId))];
  const own = async (): Promise<Record<string, unknown>> => {
    const { scalars } = await api.call('run.outputs', { runId: run.id });
    return {
      scalars: scalars.map(({ name }) => name),
      files,
      ...(run.code === undefined ? {} : { code: run.code.hash }),
    };
  };
  const native = {
    epochs: run.epochsCompleted,
    top1: run.top1 ?? null,
    top5: run.top5 ?? null,
    bestTop1: run.bestTop1 ?? null,
    sync: run.lab.experiment.sync,
    secondsPerStep: figures?.secondsPerStep ?? null,
    secondsPerStepExpected: run.estimate?.secondsPerStep ?? null,
    modelBest: taken.get('model_best.pth.tar') ?? null,
    checkpoint: taken.get('checkpoint.pth.tar') ?? null,
  };
  return {
    run: run.id,
    state: run.state,
    ...(run.lab.experiment.script === undefined ? native : await own()),
    metrics: lines,
    nodes: nodeIds.map((nodeId) => {
      const ranks = run.ranks.filter((rank) => rank.nodeId === nodeId);
      return {
        id: nodeId,
        name: ranks[0]?.nodeName ?? nodeId,
        ranks: ranks.map((rank) => ({
          rank: rank.rank,
          state: rank.state,
          exitCode: rank.exit?.code ?? null,
        })),
      };
    }),
    ...(run.error === undefined ? {} : { error: run.error }),
    ...(run.recovery === undefined
      ? {}
      : {
          recovery: {
            restarts: run.recovery.restarts.length,
            lost: workLost(run.recovery),
            ended: run.recovery.ended,
          },
        }),
  };
}

/**
 * Writes `chart.svg` and returns its path; an own script without values has none, and that is said on standard error,
 * as is the reason where it cannot be written.
 * @param files a script's in that folder, none of which is replaced
 */
export async function saveChart(
  api: Pick<LabApi, 'call'>,
  run: RunRecord,
  out: string,
  files: readonly string[] = [],
): Promise<string | undefined> {
  const isScript = run.lab.experiment.script !== undefined;
  const charts = isScript ? await chartsOfScript(api, run) : await chartsOfTrainer(api, run);
  if (isScript && charts.length === 0) {
    process.stderr.write(`${speak('cli.chart.none')}\n`);
    return undefined;
  }
  const of = { name: run.name, ranks: run.ranks.length };
  const title = isScript
    ? speak('cli.chart.scriptTitle', of)
    : speak('cli.chart.title', { ...of, architecture: run.lab.experiment.architecture });
  const path = join(out, namesBeside(files.map((file) => relative(out, file)))('chart.svg'));
  try {
    await writeFile(path, chartFile(title, charts));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    reportMissing(new RinglabError('file_unwritable', { path, reason }, { cause: error }), undefined);
    return undefined;
  }
  return path;
}

/** Those of the report. */
async function chartsOfScript(api: Pick<LabApi, 'call'>, run: RunRecord): Promise<Chart[]> {
  const { scalars } = await api.call('run.outputs', { runId: run.id });
  const store = { series: (query: SeriesQuery) => api.call('metrics.series', query) };
  return scalarCharts(store, run, reportedScalars(scalars), language);
}

async function chartsOfTrainer(api: Pick<LabApi, 'call'>, run: RunRecord): Promise<Chart[]> {
  const line = async (
    name: string,
    writers: readonly number[],
    kind: string,
    field: string,
    index: number,
  ) => {
    const series = await api.call('metrics.series', {
      runId: run.id,
      series: writers.map((rank) => ({ source: rankSource(rank), kind, field })),
      x: 'step',
      maxPoints: 800,
    });
    return { name, colour: seriesColour(index), ...joinedSeries(series) };
  };
  const loss = await Promise.all(
    run.ranks.map(({ rank, nodeName }, index) =>
      line(`${nodeName} rank ${rank}`, [rank], 'step', 'loss', index),
    ),
  );
  const accuracy = await Promise.all(
    ['top1', 'top5'].map((field, index) => line(field, firstMembers(run), 'eval', field, index)),
  );
  return [
    { title: speak('cli.chart.loss'), xName: speak('cli.chart.step'), lines: loss },
    {
      title: speak('cli.chart.accuracy'),
      xName: speak('cli.chart.step'),
      lines: accuracy,
      bounds: [0, 100],
    },
  ];
}

/** What the doctor recognised in the last lines of the ranks that failed, each once. */
function diagnosesOf({ ranks }: RunRecord): string[] {
  const found = new Map(ranks.flatMap(({ diagnoses = [] }) => diagnoses.map((one) => [one.code, one])));
  return [...found.values()].map(({ cause, remedy }) => `${cause[language]} ${remedy[language]}`);
}

export function sayError(run: RunRecord): void {
  if (run.error === undefined) return;
  const lines = [...errorLines(run.error, language), ...diagnosesOf(run)];
  const { ended } = run.recovery ?? {};
  process.stderr.write(
    `${[...lines, ...(ended === undefined ? [] : [say(language, `noRestart.${ended}`)])].join('\n')}\n`,
  );
}
