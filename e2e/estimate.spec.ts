/** What the drawn links cost, seen while drawing; one click to what they allow; and told beside the measured step. */
import { expect, test } from './fixtures.ts';
import {
  choose,
  drawNode,
  linkNodes,
  newLab,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from './pages/lab-page.ts';

test('slow links are named while they are drawn, and one click takes what they allow', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.5, y: 0.2 });
  await drawNode(page, 'CPU node', { x: 0.25, y: 0.7 });
  await drawNode(page, 'CPU node', { x: 0.75, y: 0.7 });
  await linkNodes(page, 'N1', 'N2', '10');
  await linkNodes(page, 'N2', 'N3', '1000');
  const line = page.getByRole('group', { name: 'What a step will cost' });
  await expect(
    line.getByRole('button', { name: /^About \d+ s per step: the link N1–N2 is the bottleneck$/ }),
  ).toBeVisible();
  const link = page.getByRole('group', { name: /Link N1 – N2, 10 Mbps · bottleneck/ });
  await expect(link).toBeVisible();
  await expect(link.getByText('10 Mbps · bottleneck')).toBeVisible();
  await page.screenshot({ path: info.outputPath('bottleneck.png') });

  // By keyboard: its parts, then the better setting.
  await line.getByRole('button', { name: /^About/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Waiting for the links per step')).toBeVisible();
  await page.keyboard.press('Escape');
  const better = line.getByRole('button', { name: /^(PowerSGD|Local steps|Top-k)/ });
  await better.focus();
  await page.keyboard.press('Enter');
  await expect(better).toBeHidden();
  await expect(line.getByRole('button', { name: /^About \d+ s per step: the link N1–N2/ })).toBeHidden();
  await page.screenshot({ path: info.outputPath('taken.png') });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(better).toBeVisible();
});

test.describe('a run', () => {
  // Over links that are only drawn nothing would be slow, and `auto` would stay exact.
  test.use({ network: 'on' });

  test('that may choose takes what the links allow, says why, and what was expected', async ({
    page,
    app,
  }, info) => {
    await page.goto(app.url);
    await openExample(page);
    await showPage(page, 'Experiment');
    // A small one: sending it to every rank at the start is what takes longest.
    await choose(page, 'Architecture', 'squeezenet1_1');
    await page
      .getByRole('combobox', { name: 'Synchronisation' })
      .or(page.getByLabel('Synchronisation'))
      .first()
      .click();
    await page.getByRole('option', { name: 'Automatic: what the links allow' }).click();
    await setField(page, 'Epochs', '1');
    await setField(page, 'Training images', '180');
    await setField(page, 'Validation images', '30');
    await setField(page, 'Batch size', '30');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await runExperiment(page);
    await waitForState(page, 'finished', 180_000);
    await expect(page.getByText(/chosen for the links: all-reduce takes .* per step/)).toBeAttached();
    await expect(page.getByText(/ per step, .* expected$/)).toBeAttached();
    await page.screenshot({ path: info.outputPath('measured.png') });
  });
});
