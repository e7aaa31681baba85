/** Tests of what is read of an own script before it starts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scriptText } from './script-launch.ts';

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
