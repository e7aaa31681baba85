import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { followCommand } from './run-command.ts';

it('a folder for results that cannot be made is said before anything is asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-out-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  const out = join(folder, 'file', 'results');
  const options = {
    ...{ data: join(folder, 'data'), out, chart: false },
    ...{ acceptNewHostKeys: false, allowChanges: false, allowLending: false },
  };
  await expect(followCommand('a-run', options)).rejects.toMatchObject({
    code: 'file_unwritable',
    params: { path: out },
  });
});
