/** A run on a real Slurm from the window: what the cluster offers, the job, its curve, its end. Raised on this machine (root). */
import {
  noCluster,
  raiseCluster,
  type SlurmCluster,
} from '../../src/main/run/launch/slurm/testing/cluster.ts';
import { expect, test } from '../fixtures.ts';
import {
  atRest,
  choose,
  inspector,
  openExample,
  runExperiment,
  setField,
  showPage,
  smallRun,
  waitForState,
} from '../pages/lab-page.ts';
import { chart } from '../pages/runs-page.ts';

test.skip(noCluster !== undefined, noCluster);

let cluster: SlurmCluster;
test.beforeAll(async () => {
  cluster = await raiseCluster({ nodes: 3, memory: 8000 });
});
test.afterAll(async () => await cluster.close());

test('the example lab trains on a Slurm cluster, from the window', async ({ page, app }, info) => {
  await page.goto(app.url);
  await openExample(page);
  await smallRun(page, '40');
  const panel = inspector(page);
  await panel.getByText('Slurm', { exact: true }).click();
  await setField(page, 'SSH host', cluster.sshd.host);
  await setField(page, 'SSH port', String(cluster.sshd.port));
  await setField(page, 'SSH user', cluster.sshd.user);
  await choose(page, 'Log in with', 'Key file');
  await setField(page, 'Key file', cluster.sshd.keyFile);

  await panel.getByRole('button', { name: 'Ask the cluster' }).click();
  await page
    .getByRole('dialog', { name: 'Trust this machine?' })
    .getByRole('button', { name: 'Trust' })
    .click();
  await expect(panel.getByText('3 of 3 free', { exact: false })).toBeVisible();
  await setField(page, 'Partition', 'gpu_big');
  await expect(panel.getByText('Slurm lists no partition “gpu_big”', { exact: false })).toBeVisible();
  await panel.getByLabel('Partition', { exact: true }).fill('ma');
  await page.getByRole('option', { name: 'main', exact: true }).click();
  await setField(page, 'Time limit (minutes)', '120');
  await expect(panel.getByText('allows 1 h 00 min at most', { exact: false })).toBeVisible();
  await setField(page, 'Time limit (minutes)', '30');
  await expect(panel.getByText('at most', { exact: false })).toBeHidden();
  await panel.getByRole('button', { name: 'Ask the cluster' }).scrollIntoViewIfNeeded();
  await atRest(page);
  await page.screenshot({ path: info.outputPath('slurm-offer.png') });

  await cluster.fillQueue();
  await showPage(page, 'Experiment');
  await runExperiment(page);
  await expect(page.getByText(/^Job \d+ waits in the queue: /)).toBeVisible({ timeout: 120_000 });
  await page.screenshot({ path: info.outputPath('slurm-queue.png') });
  await cluster.machine('controller').sh('scancel -u rival');
  await waitForState(page, 'running');
  await expect(page.getByText(/^Job \d+ on node\[1-3\]$/)).toBeVisible();
  await expect(page.getByText(/Measured: a rank sends [\d.,]+ Mbps while it exchanges\./)).toBeVisible();
  await expect(chart(page, 'Loss').locator('path').first()).toBeVisible();
  await atRest(page);
  await page.screenshot({ path: info.outputPath('slurm-run.png') });
  await waitForState(page, 'finished', 200_000);
  await expect.poll(() => cluster.asUser('squeue -h -u student')).toBe('');
});
