import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canIsolate, failedToStart } from './electron.mjs';

describe('Chromium’s sandbox', () => {
  let proc;
  beforeEach(() => (proc = mkdtempSync(join(tmpdir(), 'ringlab-proc-'))));
  afterEach(() => rmSync(proc, { recursive: true }));
  const set = (name, value) => {
    const path = join(proc, 'sys', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${value}\n`);
  };
  const helper = (uid, mode) => () => ({ uid, mode: 0o100000 | mode });
  const absent = () => undefined;
  const possible = (more) => canIsolate({ platform: 'linux', uid: 1000, proc, stat: absent, ...more });

  it('starts where users may have namespaces of their own', () => {
    expect(possible()).toBe(true);
    set('kernel/apparmor_restrict_unprivileged_userns', 0);
    set('kernel/unprivileged_userns_clone', 1);
    set('user/max_user_namespaces', 1000);
    expect(possible()).toBe(true);
  });

  it.each([
    ['Ubuntu 24.04', 'kernel/apparmor_restrict_unprivileged_userns', 1],
    ['a hardened Debian', 'kernel/unprivileged_userns_clone', 0],
    ['a hardened kernel', 'user/max_user_namespaces', 0],
  ])('cannot start on %s, unless its helper is root’s', (_, name, value) => {
    set(name, value);
    expect(possible()).toBe(false);
    expect(possible({ stat: helper(1000, 0o755) })).toBe(false);
    expect(possible({ stat: helper(1000, 0o4755) })).toBe(false);
    expect(possible({ stat: helper(0, 0o4755) })).toBe(true);
    // Without a sandbox, and no Linux.
    expect(possible({ uid: 0 })).toBe(true);
    expect(possible({ platform: 'darwin', uid: 501 })).toBe(true);
  });
});

it('Electron that ends at once by an abort, or lacks a library, did not start; one that the user closes did', () => {
  for (const code of [127, 133, 134]) {
    expect(failedToStart(code, 2)).toBe(true);
    expect(failedToStart(code, 600)).toBe(false);
  }
  for (const code of [0, 1, 130, 143]) expect(failedToStart(code, 2)).toBe(false);
});
