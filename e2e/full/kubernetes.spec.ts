/**
 * A run on Kubernetes' own control plane from the window: what the pods wait for, where they run, the curve, the end. The pods'
 * machines are stand-ins (src/main/run/launch/kubernetes/testing/nodes.ts); raised on this machine (root, Go).
 */
import { noControlPlane } from '../../src/main/run/launch/kubernetes/testing/control-plane.ts';
import {
  raiseKubernetes,
  type RaisedKubernetes,
} from '../../src/main/run/launch/kubernetes/testing/raised.ts';
import { expect, test } from '../fixtures.ts';
import {
  atRest,
  inspector,
  openExample,
  runExperiment,
  selectNode,
  setField,
  showPage,
  smallRun,
  waitForState,
} from '../pages/lab-page.ts';
import { chart } from '../pages/runs-page.ts';

test.skip(noControlPlane !== undefined, noControlPlane);

let cluster: RaisedKubernetes;
// Its programs are built the first time.
test.beforeAll(async () => {
  test.setTimeout(7_200_000);
  cluster = await raiseKubernetes({ jobSets: true });
});
test.afterAll(async () => await cluster.close());

test('the example lab trains on a Kubernetes cluster, from the window', async ({ page, app }, info) => {
  test.setTimeout(600_000);
  await page.goto(app.url);
  await openExample(page);
  // Long enough to be looked at on a busy machine.
  await smallRun(page, '60');
  await inspector(page).getByText('Kubernetes', { exact: true }).click();
  await setField(page, 'Kubeconfig', cluster.kubeconfig);
  await setField(page, 'Image', 'registry.example/any:1');
  await setField(page, 'PersistentVolumeClaim (ReadWriteMany)', 'shared');
  // Each machine has two processors, of which the access pod needs a part.
  for (const name of ['N1', 'N2', 'N3']) {
    await selectNode(page, name);
    await setField(page, 'CPUs', '1');
  }
  // Nodes that differ: one JobSet.
  await setField(page, 'Memory', '2');
  await showPage(page, 'Experiment');
  await runExperiment(page);
  await expect(page.getByText(/ on machine-1, machine-2, machine-3/)).toBeVisible({ timeout: 240_000 });
  await waitForState(page, 'running');
  await expect(chart(page, 'Loss').locator('path').first()).toBeVisible();
  await expect(
    page.getByText(/Measured: a rank sends [\d.,]+ Mbps (at most )?while it exchanges\./),
  ).toBeVisible();
  const left = await cluster.left();
  expect(left.filter((one) => one.startsWith('jobsets/'))).toHaveLength(1);
  expect(left.filter((one) => one.startsWith('jobs/'))).toHaveLength(2);
  await atRest(page);
  await page.screenshot({ path: info.outputPath('kubernetes-run.png') });
  await waitForState(page, 'finished', 300_000);
  await expect
    .poll(cluster.left, { timeout: 60_000 })
    .toEqual([expect.stringMatching(/^pods\/ringlab-access-/)]);
});
