/** A run with the synchronisation mode `auto`: the chosen mode, its reason, and the estimated step time. */
import { expect, test } from '../../fixtures.ts';
import {
  choose,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../../pages/lab-page.ts';

// Without emulation no link would be slow, and `auto` would choose an exact mode.
test.use({ network: 'on' });

test('`auto` chooses a mode for the links, and shows its reason and the estimate', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  // A small model: sending it to every rank at the start takes longest.
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
  await expect(page.getByText(/compressed for the slow links: .* a step instead of .*/)).toBeAttached();
  await expect(page.getByText(/ per step, .* expected$/)).toBeAttached();
  await page.screenshot({ path: info.outputPath('measured.png') });
});
