/** Where an experiment runs: a cluster chosen in the window, its fields, what does not fit, and exactly what is submitted. */
import { expect, test } from '../fixtures.ts';
import { inspector, nodeCard, openExample, selectNode, setField, showPage } from '../pages/lab-page.ts';

test('a lab is switched to a Slurm cluster and back, and shows the job it would submit', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  const panel = inspector(page);
  await panel.getByText('Slurm', { exact: true }).click();
  await panel.getByLabel('SSH host', { exact: true }).fill('login.cluster.test');
  await panel.getByLabel('SSH user', { exact: true }).fill('student');
  await panel.getByLabel('Partition', { exact: true }).fill('gpu');
  await panel.getByLabel('Time limit (minutes)', { exact: true }).fill('90');
  await panel.getByLabel('Time limit (minutes)', { exact: true }).blur();
  await panel.getByRole('switch', { name: 'Save before the time limit, requeue and continue' }).click();
  await panel.getByRole('button', { name: 'The sbatch script' }).click();
  const script = panel.locator('pre');
  await expect(script).toContainText('#SBATCH --partition=gpu');
  await expect(script).toContainText('#SBATCH --nodes=3');
  await expect(script).toContainText('#SBATCH --time=90');
  await expect(script).toContainText('#SBATCH --signal=B:USR1@120');
  // The cards have what the job asks for, not what this computer has.
  await expect(nodeCard(page, 'N1')).toContainText('2 CPU · 4 GB');
  await page.screenshot({ path: info.outputPath('slurm.png') });

  await panel.getByRole('button', { name: 'Modules and options' }).click();
  const options = panel.getByLabel('Further sbatch options, one a line', { exact: true });
  await options.fill('--nodes=9');
  await options.blur();
  await expect(panel.getByText('“--nodes=9” is what Ringlab sets itself', { exact: false })).toBeVisible();
  await options.fill('--constraint=a100');
  await options.blur();
  await expect(script).toContainText('#SBATCH --constraint=a100');

  await selectNode(page, 'N1');
  await expect(
    inspector(page).getByText('A machine that the cluster’s scheduler chooses', { exact: false }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await showPage(page, 'Experiment');
  await panel.getByText('These machines', { exact: true }).click();
  await expect(panel.getByLabel('Partition', { exact: true })).toBeHidden();
  // What was entered is there again.
  await panel.getByText('Slurm', { exact: true }).click();
  await expect(panel.getByLabel('Partition', { exact: true })).toHaveValue('gpu');
});

test('a lab is switched to a Kubernetes cluster, says what is missing, and shows the objects it would create', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  const panel = inspector(page);
  await panel.getByText('Kubernetes', { exact: true }).click();
  await expect(page.getByText('Enter the container image', { exact: false })).toBeVisible();
  await panel.getByLabel('Image', { exact: true }).fill('registry.example/team/train:1');
  await panel.getByLabel('PersistentVolumeClaim (ReadWriteMany)', { exact: true }).fill('shared');
  await panel.getByLabel('Namespace', { exact: true }).fill('team-a');
  await panel.getByLabel('Namespace', { exact: true }).blur();
  await expect(page.getByText('Enter the container image', { exact: false })).toBeHidden();
  await panel.getByRole('button', { name: 'Queue, priority and placement' }).click();
  const tolerations = panel.getByLabel('Tolerations, one a line', { exact: true });
  await tolerations.fill('nvidia.com/gpu:NoSchedule\ndedicated=training');
  await tolerations.blur();
  await panel.getByRole('button', { name: 'The exact YAML' }).click();
  const objects = panel.locator('pre');
  await expect(objects).toContainText('completionMode: Indexed');
  await expect(objects).toContainText('completions: 3');
  await expect(objects).toContainText('namespace: team-a');
  await expect(objects).toContainText('claimName: shared');
  await expect(objects).toContainText('value: training');
  await expect(objects).toContainText('kind: Service');
  await page.screenshot({ path: info.outputPath('kubernetes.png') });
  await expect(panel.getByText('one JobSet', { exact: false })).toBeHidden();
  await selectNode(page, 'N1');
  await setField(page, 'Memory', '8');
  await showPage(page, 'Experiment');
  await panel.getByRole('button', { name: 'The exact YAML' }).click();
  await expect(panel.getByText('one JobSet', { exact: false })).toBeVisible();
  // What was entered for one cluster is kept while another is shown.
  await panel.getByText('Slurm', { exact: true }).click();
  await expect(panel.getByLabel('Image', { exact: true })).toBeHidden();
  await panel.getByText('Kubernetes', { exact: true }).click();
  await expect(panel.getByLabel('Image', { exact: true })).toHaveValue('registry.example/team/train:1');
});
