import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { markFormat, refuseNewer } from './data-format.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-格式 format-'))));
afterEach(() => rm(folder, { recursive: true }));

const written = (): Promise<string> => readFile(join(folder, 'format.json'), 'utf8');

it('marks a new folder once, and accepts it', async () => {
  await refuseNewer(folder, '0.1.0');
  await markFormat(folder, '0.1.0');
  expect(JSON.parse(await written())).toEqual({ format: 'ringlab-data', version: 1, by: '0.1.0' });
  await refuseNewer(folder, '0.0.9');
  await markFormat(folder, '0.0.9');
  expect(JSON.parse(await written())).toMatchObject({ by: '0.1.0' });
  expect(await readdir(folder)).toEqual(['format.json']);
});

it('refuses the folder of a newer version, and names both', async () => {
  await writeFile(
    join(folder, 'format.json'),
    '{"format":"ringlab-data","version":2,"by":"3.1.0","more":{}}',
  );
  await expect(refuseNewer(folder, '0.1.0')).rejects.toMatchObject({
    code: 'data_folder_newer',
    params: { path: folder, theirs: '3.1.0', ours: '0.1.0' },
  });
});

it.each([
  ['no JSON', '{"format":"ringl'],
  ['another program’s', '{"format":"other","version":9,"by":""}'],
  ['too long to be one', `{"format":"ringlab-data","version":9,"by":"","more":"${'x'.repeat(5000)}"}`],
])('writes a new mark over one that is damaged: %s', async (_why, text) => {
  await writeFile(join(folder, 'format.json'), text);
  await refuseNewer(folder, '0.1.0');
  await markFormat(folder, '0.1.0');
  expect(JSON.parse(await written())).toMatchObject({ version: 1 });
});
