/** Tests of what is read of an own script before it starts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyScript, scriptText } from './script-launch.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ringlab-script-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

it('copies to a name of its own on each node, also where two machines of one home give it the same number', () => {
  write('sent/train.py', 'x');
  // Another node's, which is under way.
  write('copy.part-n1-7/train.py', 'its');
  const script = copyScript(join(root, 'sent'), join(root, 'copy'), 'n0').replace('$$', '7');
  expect(script).toContain('copy.part-n0-');
  execFileSync('sh', ['-c', script]);
  expect(readFileSync(join(root, 'copy/train.py'), 'utf8')).toBe('x');
  expect(readFileSync(join(root, 'copy.part-n1-7/train.py'), 'utf8')).toBe('its');
});

it('reads the text of a file, and of a module or package below the working folder', async () => {
  write('train.py', 'file');
  write('src/pkg/train.py', 'module');
  write('src/pkg/tool/__main__.py', 'package');
  expect(await scriptText(root, { file: 'train.py', workingFolder: 'src' })).toBe('file');
  expect(await scriptText(root, { file: 'module:pkg.train', workingFolder: 'src/' })).toBe('module');
  expect(await scriptText(root, { file: 'module:pkg.tool', workingFolder: './src' })).toBe('package');
  expect(await scriptText(root, { file: 'module:src.pkg.train' })).toBe('module');
  expect(await scriptText(root, { file: 'module:torch.distributed.run' })).toBe('');
});
