import { expect, it, vi } from 'vitest';
import { Engine, type Cursor } from './engine.ts';
import type * as raw from './raw.ts';
import { sourcesIn } from './raw.ts';
import { bytesOf, runRecord, stepLine, temporaryFolder } from './testing/fixtures.ts';

vi.mock('./raw.ts', async (original) => {
  const real = await original<typeof raw>();
  return { ...real, sourcesIn: vi.fn(real.sourcesIn) };
});

it('an export lists a run’s folder once, and one rank’s lines do not need the list', async () => {
  using folder = temporaryFolder();
  const engine = new Engine({ dataFolder: folder.path });
  await engine.saveRun(runRecord('r1'));
  const lines = Array.from({ length: 2500 }, (_, n) => stepLine(n, n));
  for (const source of ['rank-0', 'rank-1'] as const)
    await engine.append({ runId: 'r1', source, offset: 0, bytes: bytesOf(...lines) });
  const listed = vi.mocked(sourcesIn).mockClear();
  let read = 0;
  let cursor: Cursor | undefined;
  do {
    const page = await engine.page('r1', cursor);
    read += page.points.length;
    cursor = page.next;
  } while (cursor !== undefined);
  expect(read).toBe(5000);
  expect(listed).toHaveBeenCalledTimes(1);
  const query = { runId: 'r1', kinds: ['step'], limit: 3 };
  expect(await engine.lines({ ...query, source: 'rank-1' })).toHaveLength(3);
  expect(listed).toHaveBeenCalledTimes(1);
  expect(await engine.lines({ ...query, source: 'rank-2' })).toEqual([]);
  await engine.close();
});
