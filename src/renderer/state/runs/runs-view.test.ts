// @vitest-environment jsdom
import { expect, it, vi } from 'vitest';

it('a window that is loaded again compares what it compared before, in each lab', async () => {
  localStorage.clear();
  const load = async () => {
    vi.resetModules();
    return await import('./runs-view.ts');
  };
  const first = await load();
  first.enterLab('a');
  first.compare(['r1', 'r2']);
  first.enterLab('b');
  first.compare(['r3', 'r4']);
  const again = await load();
  again.enterLab('a');
  expect(again.useRunsView.getState().compared).toEqual(['r1', 'r2']);
  again.enterLab('b');
  expect(again.useRunsView.getState().compared).toEqual(['r3', 'r4']);
  again.unmark([{ id: 'r3' }]);
  localStorage.setItem('ringlab.compared', '{"b":[1]}');
  const damaged = await load();
  damaged.enterLab('b');
  expect(damaged.useRunsView.getState().compared).toEqual([]);
});
