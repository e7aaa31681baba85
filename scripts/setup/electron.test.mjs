import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from './command.mjs';
import {
  canIsolate,
  failedToStart,
  fetchElectron,
  installerEnvironment,
  installerLine,
} from './electron.mjs';

vi.mock('./command.mjs', async (original) => ({ ...(await original()), runCommand: vi.fn() }));
vi.mock('./stamp.mjs', async (original) => ({
  ...(await original()),
  createStamp: () => ({ holds: () => false, write: () => undefined }),
}));

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

describe('the download of Electron', () => {
  const proxies = (env) => {
    const { http_proxy: http, https_proxy: https, ELECTRON_GET_USE_PROXY: told } = installerEnvironment(env);
    return [http, https, told];
  };

  it('goes through the proxy of the environment, or of npm', () => {
    const proxy = 'http://proxy.example:3128';
    for (const env of [
      { http_proxy: proxy },
      { HTTP_PROXY: 'proxy.example:3128', https_proxy: '' },
      { npm_config_proxy: `${proxy} ` },
    ])
      expect(proxies(env)).toEqual([proxy, proxy, '1']);
    for (const env of [
      { https_proxy: proxy, HTTPS_PROXY: 'http://other.example' },
      { HTTPS_PROXY: 'proxy.example:3128' },
      { npm_config_https_proxy: proxy },
    ])
      expect(proxies(env)).toEqual([undefined, proxy, '1']);
    expect(installerEnvironment({ HTTPS_PROXY: proxy, NO_PROXY: 'mirror.example', HOME: '/h' })).toEqual({
      ELECTRON_GET_USE_PROXY: '1',
      https_proxy: proxy,
      no_proxy: 'mirror.example',
      HOME: '/h',
    });
  });

  it('is direct where there is none', () => {
    const env = { HOME: '/h', http_proxy: '', npm_config_noproxy: '' };
    expect(installerEnvironment(env)).toBe(env);
    expect(installerLine(env)).toBe('node node_modules/electron/install.js');
  });

  it.skipIf(process.platform === 'win32')('by hand goes through it, too', () => {
    expect(installerLine({ HTTPS_PROXY: 'http://p' })).toMatch(/^ELECTRON_GET_USE_PROXY=1 node /);
  });

  it('by `npm start` is told so', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
    vi.stubEnv('https_proxy', undefined);
    vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', join(tmpdir(), 'ringlab-no-electron'));
    runCommand.mockResolvedValue({ code: 0, output: '' });
    const step = (_, work) => work({ say: () => undefined, now: () => undefined });
    try {
      await fetchElectron('node', { step });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(runCommand.mock.lastCall[2].env).toMatchObject({
      ELECTRON_GET_USE_PROXY: '1',
      https_proxy: 'http://proxy.example:3128',
    });
  });
});
