import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from './cli/paths.ts';

let folder: string;
let compiled: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-start-'));
  compiled = join(folder, 'compiled');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the version that it prints. */
const start = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): string | undefined =>
  execFileSync(
    process.execPath,
    [join(projectFolder(), 'src', 'main', 'hosts', 'start.ts'), '--version', ...args],
    { encoding: 'utf8', env: { ...process.env, RINGLAB_DATA: join(folder, 'none'), ...environment } },
  )
    .trim()
    .split(' ')[1];

it('keeps what Node has compiled of this version, and of no other, in the data folder', () => {
  mkdirSync(join(compiled, '0.0.1'), { recursive: true });
  writeFileSync(join(folder, 'lock.db'), '');
  writeFileSync(join(folder, 'other'), '');
  const own = start(['--data', folder]);
  expect(own).toMatch(/^\d/);
  expect(readdirSync(compiled)).toEqual([own]);
  expect(readdirSync(join(compiled, own ?? ''))).toHaveLength(1);
  expect(existsSync(join(folder, 'other'))).toBe(true);
  rmSync(compiled, { recursive: true });
  start([`--data=${folder}`]);
  expect(existsSync(compiled)).toBe(true);
  rmSync(compiled, { recursive: true });
  start([], { RINGLAB_DATA: folder });
  expect(existsSync(compiled)).toBe(true);
});

it('makes no data folder, and keeps nothing where others can write: it would be executed', () => {
  expect(start([])).toMatch(/^\d/);
  expect(existsSync(join(folder, 'none'))).toBe(false);
  writeFileSync(join(folder, 'lock.db'), '');
  chmodSync(folder, 0o770);
  start(['--data', folder]);
  expect(existsSync(compiled)).toBe(false);
});

it('touches no folder of a script’s own option, none that is not Ringlab’s, and none that another user could exchange', () => {
  mkdirSync(join(compiled, 'by-the-user'), { recursive: true });
  start(['--data', folder]);
  writeFileSync(join(folder, 'format.json'), '{}');
  start(['--', '--data', folder]);
  start(['--', `--data=${folder}`]);
  const open = join(folder, 'open');
  const inOpen = join(open, 'data');
  mkdirSync(inOpen, { recursive: true });
  writeFileSync(join(inOpen, 'lock.db'), '');
  chmodSync(open, 0o777);
  start(['--data', inOpen]);
  expect(readdirSync(compiled)).toEqual(['by-the-user']);
  expect(readdirSync(inOpen)).toEqual(['lock.db']);
  chmodSync(open, 0o755);
  start(['--data', inOpen]);
  expect(readdirSync(inOpen)).toContain('compiled');
});
