/** New runs from the table and from a run, with the mouse: a sweep over two settings and a repeated run, three ranks each. */
import { test } from '../../fixtures.ts';
import { openExample, showPage } from '../../pages/lab-page.ts';
import { sweepAndRepeat } from '../../pages/sweep.ts';

/** Three real trainings, one after the other, also on a busy machine. */
test.setTimeout(480_000);

test('a sweep over two settings trains one run after the other on the same nodes; one is repeated with a change', async ({
  page,
  app,
  dataFolder,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await sweepAndRepeat(page, info, dataFolder, 3);
});
