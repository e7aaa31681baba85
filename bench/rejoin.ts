/**
 * Measures how long the others take to train on after a node's link went down (`onLostRank: continue`), and how long that node takes to
 * be back once the link is up: three local nodes in a chain, resnet18. Needs root. Arguments: Mbps (1000), synchronisation (allreduce).
 */
import { randomUUID } from 'node:crypto';
import { createApp } from '../src/main/app/create-app.ts';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import type { RunRecord } from '../src/shared/run/run.ts';
import { localNodes } from './local-nodes.ts';
import { report } from './measure.ts';

const bandwidthMbps = Number(process.argv[2] ?? 1000);
const sync = process.argv[3] ?? 'allreduce';
process.env.RINGLAB_NETWORK = 'on';

const base = emptyLab(randomUUID(), 'rejoin');
const nodes = localNodes(3);
const lab: LabDocument = {
  ...base,
  nodes,
  links: [0, 1].map((index) => ({
    id: `l${index}`,
    ends: [nodes[index]?.id ?? '', nodes[index + 1]?.id ?? ''] as [string, string],
    ...{ bandwidthMbps, delayMs: 0, lossPercent: 0 },
  })),
  experiment: {
    ...base.experiment,
    ...{ architecture: 'resnet18', sync, batchSize: 12, epochs: 500, onLostRank: 'continue' },
    data: { type: 'shapes', train: 240, validation: 12, size: 32, seed: 3 },
  },
};

const folder = await newDataFolder();
const app = await createApp(await cliPlatform(folder));
const { runs, networks } = app.services;
const { runId } = await runs.start(lab);
async function until(is: (run: RunRecord) => boolean): Promise<RunRecord> {
  for (;;) {
    const run = await runs.get(runId);
    if (run.error !== undefined) throw new Error(`the run failed: ${run.error.code}`);
    if (is(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const since = (from: number): number => (performance.now() - from) / 1000;
try {
  await until(({ step }) => step >= 3);
  const cut = performance.now();
  await networks.setDown(lab.id, 'l1', true);
  const fewer = await until(({ memberships }) => memberships !== undefined);
  const at = fewer.memberships?.[0]?.step ?? 0;
  await until(({ step }) => step > at);
  const survivors = since(cut);
  await until(({ ranks }) => ranks[2]?.state === 'failed');
  const back = performance.now();
  await networks.setDown(lab.id, 'l1', false);
  await until(({ recovery }) => recovery?.rejoins === true);
  const prepared = since(back);
  await until(({ state, attempt }) => state === 'running' && attempt === 2);
  const started = since(back);
  const { step } = await runs.get(runId);
  await until((run) => run.step > step);
  report(
    `rejoin at ${bandwidthMbps} Mbps, ${sync}`,
    [
      { what: 'the others’ next step after a cable', goal: '8 s', values: [survivors] },
      { what: 'link up: the node is prepared', goal: '', values: [prepared] },
      { what: 'link up: all ranks run', goal: '', values: [started] },
      {
        what: 'link up: the first step of all',
        goal: bandwidthMbps < 1000 ? '60 s' : '10 s',
        values: [since(back)],
      },
    ].map((figure) => ({ ...figure, unit: 's' })),
  );
} finally {
  await runs.stop(runId).catch(() => undefined);
  await until(({ state }) => state === 'stopped').catch(() => undefined);
  await app.close();
  await removeDataFolder(folder);
}
