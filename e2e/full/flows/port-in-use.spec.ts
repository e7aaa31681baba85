/** A run whose port is taken by another program. */
import { createServer } from 'node:net';
import { expect, test } from '../../fixtures.ts';
import {
  nodeCard,
  openExample,
  runExperiment,
  setField,
  showPage,
  smallRun,
  waitForState,
} from '../../pages/lab-page.ts';
import { listening } from '../../pages/ssh-node.ts';

test('a port in use: the next free one is taken and shown', async ({ page, app }) => {
  const taken = createServer();
  const port = await listening(taken);
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Port', String(port));
  await smallRun(page, '1');
  await runExperiment(page);
  await nodeCard(page, 'N1').click();
  await expect(page.getByText(new RegExp(`\\(${port} in use\\)`)).first()).toBeVisible();
  await waitForState(page, 'finished');
  taken.close();
});
