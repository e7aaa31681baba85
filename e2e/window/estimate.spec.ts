/** The cost of the drawn links: shown while drawing, with one click to a better setting. */
import { expect, test } from '../fixtures.ts';
import { drawNode, linkNodes, newLab } from '../pages/lab-page.ts';

// Where links are not emulated the headline says that.
test.use({ network: 'on' });

test('slow links are named while drawing, and one click applies a faster mode', async ({
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
  const line = page.getByRole('group', { name: 'Estimated time per step' });
  await expect(
    line.getByRole('button', { name: /^About \d+ s per step: the link N1–N2 is the bottleneck$/ }),
  ).toBeVisible();
  const link = page.getByRole('group', { name: /Link N1 – N2, 10 Mbps · bottleneck/ });
  await expect(link).toBeVisible();
  await expect(link.getByText('10 Mbps · bottleneck')).toBeVisible();
  await page.screenshot({ path: info.outputPath('bottleneck.png') });

  // By keyboard: the details, then the better setting.
  await line.getByRole('button', { name: /^About/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Waiting for the links per step')).toBeVisible();
  await page.keyboard.press('Escape');
  const better = line.getByRole('button', { name: /^Compress: / });
  await better.focus();
  await page.keyboard.press('Enter');
  await expect(better).toBeHidden();
  await expect(
    line.getByRole('button', { name: /^Compressed for the slow links: [\d.]+ m?s a step instead of \d+ s$/ }),
  ).toBeVisible();
  await expect(line.getByRole('button', { name: /^About \d+ s per step: the link N1–N2/ })).toBeHidden();
  await page.screenshot({ path: info.outputPath('taken.png') });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(better).toBeVisible();
});
