import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IndexFile } from './index-file.ts';
import { openStore } from './index.ts';
import { replaceFile } from './durable.ts';
import { RunFolders } from './runs.ts';
import { runRecord, smallShape, temporaryFolder } from './testing/fixtures.ts';

it('a run whose first record cannot be written leaves no folder, and is written when there is room', async () => {
  using folder = temporaryFolder();
  const file = new IndexFile(join(folder.path, 'index.db'), smallShape);
  let full = true;
  const runs = new RunFolders(folder.path, file.index, (path, content) =>
    full
      ? Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
      : replaceFile(path, content),
  );
  await expect(runs.save(runRecord('r'))).rejects.toMatchObject({ code: 'local_disk_full' });
  expect(readdirSync(runs.root)).toEqual([]);
  full = false;
  await runs.save(runRecord('r'));
  full = true;
  // One that is there stays as it was.
  await expect(runs.save(runRecord('r', { notes: 'new' }))).rejects.toMatchObject({
    code: 'local_disk_full',
  });
  runs.reconcile();
  expect(runs.get('r')).toMatchObject({ notes: '' });
  file.close();
});

it('a folder that cannot be made for a run is a file that cannot be written, as on a full disk', async () => {
  using folder = temporaryFolder();
  const file = new IndexFile(join(folder.path, 'index.db'), smallShape);
  const runs = new RunFolders(folder.path, file.index);
  rmSync(runs.root, { recursive: true });
  writeFileSync(runs.root, '');
  const error = { code: 'file_unwritable', params: { path: join(runs.root, 'r', 'run.json') } };
  await expect(runs.save(runRecord('r'))).rejects.toMatchObject(error);
  file.close();
});

it('folders of runs that were never written are removed when the app opens, no others', async () => {
  using folder = temporaryFolder();
  const runs = join(folder.path, 'runs');
  const files = {
    empty: [],
    begun: ['run.json.0b1c.tmp'],
    lines: ['rank-0.jsonl'],
    damaged: ['run.json', 'run.json.0b1c.tmp'],
    'no run': [],
  };
  for (const [name, there] of Object.entries(files)) {
    mkdirSync(join(runs, name), { recursive: true });
    for (const file of there) writeFileSync(join(runs, name, file), '{');
  }
  const { store } = await openStore(folder.path);
  expect((await store.problems()).map(({ runId }) => runId)).toEqual(['damaged', 'lines']);
  expect(readdirSync(runs).sort()).toEqual(['damaged', 'lines', 'no run']);
  expect(existsSync(join(runs, 'lines', 'rank-0.jsonl'))).toBe(true);
  await store.close();
});
