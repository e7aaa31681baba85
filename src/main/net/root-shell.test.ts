import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { alone, openRootShell } from './root-shell.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-root-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As sudo: runs what it may run, and ignores a password that was typed before with -k alone. */
const withSudo = (rule: 'NOPASSWD' | 'typed before' | 'password'): { uid: number; path: string } => {
  const allowed = { NOPASSWD: 'exit 0', 'typed before': '[ "$1" != -k ] && exit 0', password: '' }[rule];
  const text = `#!/bin/sh\n${allowed}\necho 'sudo: a password is required' >&2\nexit 1\n`;
  writeFileSync(join(folder, 'sudo'), text, { mode: 0o755 });
  return { uid: 1000, path: `${folder}:/usr/bin:/bin` };
};

it('uses sudo where it never asks, not where a password that was typed in this terminal still counts', async () => {
  expect((await openRootShell(withSudo('NOPASSWD')))?.prefix).toEqual(['sudo', '-n']);
  expect(await openRootShell(withSudo('typed before'))).toBeUndefined();
  expect(await openRootShell(withSudo('password'))).toBeUndefined();
  expect((await openRootShell({ uid: 0, path: folder }))?.prefix).toEqual([]);
});

it('what several apps change is changed by one at a time, and by all where there is no flock', async () => {
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    steps.push(`${name} ends`);
    return name;
  };
  const lock = join(folder, 'lock');
  const both = ['a', 'b'].map((name) => alone({ prefix: [] }, work(name), lock));
  expect(await Promise.all(both)).toEqual(['a', 'b']);
  const [first = ''] = steps;
  const order = first.startsWith('a') ? ['a', 'b'] : ['b', 'a'];
  expect(steps).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends`]));
  const failing = alone({ prefix: [] }, () => Promise.reject(new Error('it failed')), lock);
  await expect(failing).rejects.toThrow('it failed');
  expect(await alone({ prefix: [join(folder, 'none')] }, work('c'), lock)).toBe('c');
});
