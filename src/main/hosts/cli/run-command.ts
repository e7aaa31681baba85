/** `ringlab run LAB`: the same services as the window, with the progress on standard error and one JSON object at the end. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Delivery } from '../../../shared/api.ts';
import { RinglabError } from '../../../shared/errors.ts';
import { describeError } from '../../../shared/error-texts.ts';
import { checkLab } from '../../../shared/lab-check.ts';
import type { LabDocument } from '../../../shared/lab.ts';
import { rankSource, type Series } from '../../../shared/metrics.ts';
import { isEnded, type Artifact, type RunRecord } from '../../../shared/run.ts';
import type { App, Services } from '../../app.ts';
import { describeIssue } from './check-command.ts';
import { chartSvg } from './chart.ts';
import { readFigures } from '../../run/index.ts';
import { openApp } from './open.ts';
import { showProgress } from './progress.ts';

export interface RunOptions {
  readonly data: string | undefined;
  readonly out: string | undefined;
  readonly chart: boolean;
  readonly acceptNewHostKeys: boolean;
  readonly allowChanges: boolean;
  readonly allowLending: boolean;
}

/** Exit code: 0 finished, 1 any other end, 2 bad input (thrown as a RinglabError before this). */
export async function runLab(lab: LabDocument, options: RunOptions): Promise<number> {
  const issues = checkLab(lab);
  for (const issue of issues) process.stderr.write(`${issue.severity}: ${describeIssue(issue)}\n`);
  const errors = issues.filter((issue) => issue.severity === 'error');
  if (errors[0] !== undefined) {
    throw new RinglabError(
      'lab_has_errors',
      { count: errors.length, first: describeIssue(errors[0]) },
      { where: lab.name },
    );
  }
  const out = resolve(options.out ?? 'ringlab-out');
  await mkdir(out, { recursive: true });
  const app = await openApp({ ...options, out });
  try {
    const run = await followToEnd(app, lab);
    process.stdout.write(`${JSON.stringify(await takeHome(app.services, run, out, options.chart))}\n`);
    return run.state === 'finished' ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** The first Ctrl+C stops gracefully, the second firmly, the third leaves the run to itself. */
async function followToEnd(app: App, lab: LabDocument): Promise<RunRecord> {
  let runId: string | undefined;
  const { services } = app;
  const progress = showProgress(
    () => runId,
    (text) => process.stderr.write(text),
    process.stderr.isTTY,
  );
  let interrupts = 0;
  const onInterrupt = (): void => {
    interrupts += 1;
    if (interrupts > 2) process.exit(1);
    process.stderr.write(
      interrupts === 1 ? '\nstopping after this step; Ctrl+C again to force it\n' : '\nforcing\n',
    );
    if (runId !== undefined) {
      services.runs.stop(runId).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  const stopListening = services.events.subscribe(progress.onEvent);
  try {
    return await new Promise<RunRecord>((resolveRun, reject) => {
      const stop = services.events.subscribe((event) => {
        if (event.name === 'run.changed' && event.data.run.id === runId && isEnded(event.data.run.state)) {
          stop();
          resolveRun(event.data.run);
        }
      });
      services.runs.start(lab).then(async (started) => {
        runId = started.runId;
        const now = await services.runs.get(runId);
        if (isEnded(now.state)) resolveRun(now);
      }, reject);
    });
  } finally {
    stopListening();
    progress.end();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

const artifacts: readonly Artifact[] = [
  'model_best.pth.tar',
  'checkpoint.pth.tar',
  'metrics.csv',
  'metrics.json',
  'commands.sh',
];

/** Copies what there is into `out` and tells of the run in one object. */
async function takeHome(
  services: Services,
  run: RunRecord,
  out: string,
  chart: boolean,
): Promise<Record<string, unknown>> {
  const taken = new Map<Artifact, Delivery>();
  for (const artifact of artifacts) {
    try {
      taken.set(artifact, await services.platform.deliver(await services.runs.artifact(run.id, artifact)));
    } catch (error) {
      if (!(error instanceof RinglabError)) throw error;
      process.stderr.write(`${describeError(error, 'en').message}\n`);
    }
  }
  const chartPath = chart ? join(out, 'chart.svg') : undefined;
  if (chartPath !== undefined) await writeFile(chartPath, await drawChart(services, run));
  if (run.error !== undefined) {
    const { message, hint } = describeError(run.error, 'en');
    process.stderr.write(`${message}\n${hint}\n`);
  }
  const [figures] = await readFigures(services.store, [run.id]);
  const nodeIds = [...new Set(run.ranks.map((rank) => rank.nodeId))];
  return {
    run: run.id,
    state: run.state,
    epochs: run.epochsCompleted,
    top1: run.top1 ?? null,
    top5: run.top5 ?? null,
    bestTop1: run.bestTop1 ?? null,
    sync: run.lab.experiment.sync,
    secondsPerStep: figures?.secondsPerStep ?? null,
    secondsPerStepExpected: run.estimate?.secondsPerStep ?? null,
    modelBest: taken.get('model_best.pth.tar')?.savedTo ?? null,
    checkpoint: taken.get('checkpoint.pth.tar')?.savedTo ?? null,
    metrics: await services.store.countPoints(run.id),
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
    ...(chartPath === undefined ? {} : { chart: chartPath }),
    ...(run.error === undefined ? {} : { error: run.error }),
  };
}

async function drawChart(services: Services, run: RunRecord): Promise<string> {
  const ask = async (source: string, kind: string, field: string): Promise<Series> => {
    const [series] = await services.store.series({
      runId: run.id,
      series: [{ source, kind, field }],
      x: 'step',
      maxPoints: 800,
    });
    return series ?? { key: { source, kind, field }, x: [], y: [], total: 0 };
  };
  const loss = await Promise.all(
    run.ranks.map(async ({ rank, nodeName }) => ({
      label: `${nodeName} rank ${rank}`,
      series: await ask(rankSource(rank), 'step', 'loss'),
    })),
  );
  const accuracy = [
    { label: 'top-1', series: await ask(rankSource(0), 'eval', 'top1') },
    { label: 'top-5', series: await ask(rankSource(0), 'eval', 'top5') },
  ];
  return chartSvg(
    `${run.name}: ${run.lab.experiment.architecture}, ${run.ranks.length} ranks`,
    loss,
    accuracy,
  );
}
