/** Results in the script's own folder are not sent with the next run. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { measureCode } from '../../code/index.ts';
import { keepOutOfCode } from './results-folder.ts';

let folder: string;
let source: string;
let lab: LabDocument;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'results-'));
  source = join(folder, 'project');
  await mkdir(join(source, 'results'), { recursive: true });
  await writeFile(join(source, 'train.py'), 'x');
  const base = emptyLab('x', 'x');
  const script = { source: { type: 'folder' as const, path: source }, file: 'train.py', arguments: '' };
  lab = { ...base, experiment: { ...base.experiment, script } };
});
afterEach(() => rm(folder, { recursive: true }));

it('where the folder is one of the script’s own, or the one that is meant where none is named', async () => {
  await keepOutOfCode(lab, join(source, 'results'));
  await mkdir(join(source, 'ringlab-out'));
  for (const out of ['results', 'ringlab-out'])
    await writeFile(join(source, out, 'best.pt'), 'x'.repeat(999));
  expect(await measureCode(source)).toMatchObject({ files: 1, bytes: 1 });
});

it('where the folder was removed during the run, or has become a file', async () => {
  await keepOutOfCode(lab, join(source, 'gone'));
  expect(await readdir(join(source, 'gone'))).toEqual(['.ringlabignore']);
  await writeFile(join(source, 'taken'), 'x');
  await keepOutOfCode(lab, join(source, 'taken'));
});

it('but no folder is touched that is elsewhere, is the script’s folder itself, or has files', async () => {
  const elsewhere = join(folder, 'project-results');
  await mkdir(elsewhere);
  await keepOutOfCode(lab, elsewhere);
  expect(await readdir(elsewhere)).toEqual([]);
  await rm(join(source, 'train.py'));
  await rm(join(source, 'results'), { recursive: true });
  await keepOutOfCode(lab, source);
  expect(await readdir(source)).toEqual([]);
  await mkdir(join(source, 'pkg'));
  await writeFile(join(source, 'pkg', 'a.py'), 'x');
  await keepOutOfCode(lab, join(source, 'pkg'));
  expect(await readdir(join(source, 'pkg'))).toEqual(['a.py']);
});
