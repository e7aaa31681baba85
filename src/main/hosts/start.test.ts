import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from './cli/paths.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param caches `XDG_CACHE_HOME` */
const version = (caches: string): string =>
  execFileSync(process.execPath, [join(projectFolder(), 'src', 'main', 'hosts', 'start.ts'), '--version'], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: caches },
  }).trim();

it('keeps what Node has compiled of this version, and of no other', () => {
  const compiled = join(folder, 'ringlab', 'compiled');
  mkdirSync(join(compiled, '0.0.1'), { recursive: true });
  writeFileSync(join(folder, 'ringlab', 'other'), '');
  const [, own] = version(folder).split(' ');
  expect(readdirSync(compiled)).toEqual([own]);
  expect(readdirSync(join(compiled, own ?? ''))).toHaveLength(1);
  expect(existsSync(join(folder, 'ringlab', 'other'))).toBe(true);
});

it('starts without such a folder, too', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o400);
  expect(version(file)).toMatch(/^ringlab \d/);
});
