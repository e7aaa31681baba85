import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { measureCode } from '../code/index.ts';
import { keepDataOutOfCode } from './out-of-code.ts';

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'ringlab-project-'));
});
afterEach(() => rm(project, { recursive: true, force: true }));

it('a data folder in a script’s folder is not sent with it, but for the code of examples', async () => {
  const data = join(project, 'data');
  for (const inside of ['runs/r/rank-0', 'scripts/s']) await mkdir(join(data, inside), { recursive: true });
  await writeFile(join(project, 'train.py'), 'pass\n');
  await writeFile(join(data, 'runs', 'r', 'rank-0', 'metrics.jsonl'), 'lines\n');
  await writeFile(join(data, 'control'), 'secret\n');
  await keepDataOutOfCode(data);
  expect((await measureCode(project)).files).toBe(1);
  await writeFile(join(data, 'scripts', 's', 'digits.py'), 'pass\n');
  expect((await measureCode(project)).files).toBe(2);
  expect((await measureCode(join(data, 'scripts', 's'))).files).toBe(1);
});

it('rules of the user’s stay, and a folder that cannot be written is used all the same', async () => {
  const rules = join(project, '.ringlabignore');
  await writeFile(rules, 'own\n');
  await keepDataOutOfCode(project);
  expect(await readFile(rules, 'utf8')).toBe('own\n');
  await keepDataOutOfCode(join(project, 'absent'));
});
