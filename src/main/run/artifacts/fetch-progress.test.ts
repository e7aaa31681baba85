import { expect, it } from 'vitest';
import { createEventLog } from '../../base/events.ts';
import { fetchProgress } from './fetch-progress.ts';

it('reports a large file about a hundred times, and a small one never', () => {
  const events = createEventLog();
  const seen: number[] = [];
  events.subscribe((event) => {
    if (event.name === 'artifact.progress') seen.push(event.data.done);
  });
  const total = 100_000_000;
  const report = fetchProgress({ events }, 'r', 'model_best.pth.tar');
  for (let done = 0; done <= total; done += 32_768) report({ done, total });
  expect(seen[0]).toBe(0);
  expect(seen.length).toBeGreaterThan(80);
  expect(seen.length).toBeLessThan(110);
  seen.length = 0;
  fetchProgress({ events }, 'r', 'commands.sh')({ done: 10, total: 1000 });
  expect(seen).toEqual([]);
});
