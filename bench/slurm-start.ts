/**
 * Measures the time from the submission of a job to the first line of its ranks, on an idle real Slurm of three nodes that
 * is raised on this machine, as root. Argument: rounds (5).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, type App } from '../src/main/app/create-app.ts';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { raiseCluster } from '../src/main/run/launch/slurm/testing/cluster.ts';
import { slurmLab } from '../src/main/run/launch/slurm/testing/slurm-lab.ts';
import type { LabDocument } from '../src/shared/lab/lab.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { report } from './measure.ts';

const rounds = Number(process.argv[2] ?? 5);

interface Start {
  /** Seconds from `sbatch`'s answer to the first line in the app. */
  readonly submitted: number;
  /** From the click. */
  readonly clicked: number;
}

async function firstLine({ services: { events, runs } }: App, lab: LabDocument): Promise<Start> {
  const first = Promise.withResolvers<Start>();
  const ended = Promise.withResolvers<undefined>();
  const click = performance.now();
  let submit: number | undefined;
  const stop = events.subscribe((event) => {
    const now = performance.now();
    if (event.name === 'run.points' && event.data.points.some(({ source }) => source.startsWith('rank-')))
      first.resolve({ submitted: (now - (submit ?? now)) / 1000, clicked: (now - click) / 1000 });
    if (event.name !== 'run.changed') return;
    const { state, error, job } = event.data.run;
    if (job !== undefined) submit ??= now;
    if (state === 'failed') first.reject(new Error(`the run failed: ${JSON.stringify(error)}`));
    if (['finished', 'stopped', 'failed'].includes(state)) ended.resolve(undefined);
  });
  try {
    const { runId } = await runs.start(lab);
    const took = await first.promise;
    await runs.stop(runId);
    await ended.promise;
    return took;
  } finally {
    stop();
  }
}

const cluster = await raiseCluster({ nodes: 3 });
const folder = await newDataFolder();
try {
  process.env.HOME = folder;
  await mkdir(join(folder, '.ssh'));
  await writeFile(join(folder, '.ssh', 'known_hosts'), `${cluster.sshd.knownHostsLine}\n`);
  const app = await createApp(await cliPlatform(folder));
  const lab = slurmLab(cluster, {}, 1000);
  // Installs everything, as a first run does.
  await firstLine(app, lab);
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await cluster.emptyQueue();
    starts.push(await firstLine(app, lab));
  }
  await app.close();
  report('slurm-start', [
    {
      what: 'from submission to the first line',
      goal: '5 s',
      values: starts.map((one) => one.submitted),
      unit: 's',
    },
    {
      what: 'from the click to the first line',
      goal: '',
      values: starts.map((one) => one.clicked),
      unit: 's',
    },
  ]);
} finally {
  await removeDataFolder(folder);
  await cluster.close();
}
