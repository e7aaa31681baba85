/**
 * Measures the time from 'Run experiment' to the first step, on nodes that were prepared before: 1, 3 and 8 local nodes, over
 * the loopback and over links drawn with 1 Gbps. Argument: rounds (3).
 */
import { randomUUID } from 'node:crypto';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createApp, type App } from '../src/main/app/create-app.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import { localNodes } from './local-nodes.ts';
import { repeat, report, type Figure } from './measure.ts';

const rounds = Number(process.argv[2] ?? 3);
const goals: readonly (readonly [number, string])[] = [
  [1, '2 s'],
  [3, '2.5 s'],
  [8, '5 s'],
];

function labOf(count: number): LabDocument {
  const base = emptyLab(randomUUID(), `${count} ready nodes`);
  const nodes = localNodes(count);
  return {
    ...base,
    nodes,
    // A ring: every node has two links.
    links: nodes.slice(count < 3 ? 1 : 0).map(({ id }, index) => ({
      id: `l${index}`,
      ends: [id, nodes[(index + 1) % count]?.id ?? id] as [string, string],
      bandwidthMbps: 1000,
      delayMs: 0,
      lossPercent: 0,
    })),
    experiment: {
      ...base.experiment,
      data: { type: 'shapes', train: 8 * 20 * count, validation: 10, size: 32, seed: 3 },
      batchSize: 8 * count,
      epochs: 1,
    },
  };
}

/** Seconds from the click to the first point of a step. */
async function firstStep(app: App, lab: LabDocument): Promise<number> {
  const { events, runs } = app.services;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<undefined>();
  const begin = performance.now();
  const stop = events.subscribe((event) => {
    if (event.name === 'run.points' && event.data.points.some(({ line }) => line.kind === 'step'))
      resolve((performance.now() - begin) / 1000);
    if (event.name !== 'run.changed') return;
    const { state, error } = event.data.run;
    if (state === 'failed') reject(new Error(`the run failed: ${error?.code ?? ''}`));
    if (['finished', 'stopped', 'failed'].includes(state)) ended.resolve(undefined);
  });
  try {
    const { runId } = await runs.start(lab);
    const took = await promise;
    await runs.stop(runId);
    await ended.promise;
    return took;
  } finally {
    stop();
  }
}

const figures: Figure[] = [];
for (const network of ['off', 'on'] as const) {
  process.env.RINGLAB_NETWORK = network;
  const folder = await newDataFolder();
  const app = await createApp(await cliPlatform(folder));
  for (const [count, goal] of goals) {
    const lab = labOf(count);
    await app.services.provisioner.prepare(lab);
    figures.push({
      what: `${count} ready nodes, ${network === 'off' ? 'loopback' : 'drawn links of 1 Gbps'}`,
      goal: network === 'off' ? goal : '',
      values: await repeat(rounds, () => firstStep(app, lab)),
      unit: 's',
    });
  }
  await app.close();
  await removeDataFolder(folder);
}
report('ready-start', figures);
