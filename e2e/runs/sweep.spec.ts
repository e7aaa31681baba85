/** New runs from the table and from a run, with the mouse: a sweep over two settings, and one run repeated with a change. */
import { test } from '../fixtures.ts';
import { choose, drawNode, newLab, showPage } from '../pages/lab-page.ts';
import { sweepAndRepeat } from '../pages/sweep.ts';

/** Three real trainings, one after the other, also on a busy machine. */
test.setTimeout(480_000);

test('a sweep over two settings trains one run after the other; one is repeated with a change', async ({
  page,
  app,
  dataFolder,
}, info) => {
  await page.goto(app.url);
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.5, y: 0.3 });
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'squeezenet1_1');
  await sweepAndRepeat(page, info, dataFolder, 1);
});
