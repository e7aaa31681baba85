import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverFile } from './deliver.ts';
import { electronPaths } from './paths.ts';
import { openSecrets } from './secrets.ts';
import { openingBounds, readWindowState, writeWindowState } from './window-state.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-electron-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Backend = 'basic_text' | 'gnome_libsecret' | 'unknown';
/** Reverses bytes: enough to test that the plain text is not in the file. */
const vault = (backend: Backend, isAvailable = true): Parameters<typeof openSecrets>[0] => ({
  getSelectedStorageBackend: () => backend,
  isAsyncEncryptionAvailable: () => Promise.resolve(isAvailable),
  encryptStringAsync: (text) => Promise.resolve(Buffer.from(text).reverse()),
  decryptStringAsync: (sealed) => {
    if (sealed.length === 0) return Promise.reject(new Error('wrong key'));
    return Promise.resolve({ shouldReEncrypt: false, result: Buffer.from(sealed).reverse().toString() });
  },
});

describe('secrets', () => {
  it('are stored encrypted in a file of mode 0600, and readable after a restart', async () => {
    const path = join(folder, 'secrets.json');
    const secrets = await openSecrets(vault('gnome_libsecret'), path, 'linux');
    expect(secrets.kind).toBe('keyring');
    await Promise.all([secrets.set('a', 'password-a'), secrets.set('b', 'password-b')]);
    expect(await readFile(path, 'utf8')).not.toContain('password');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const again = await openSecrets(vault('gnome_libsecret'), path, 'linux');
    expect(await again.get('a')).toBe('password-a');
    expect(await again.get('b')).toBe('password-b');
    await again.delete('a');
    expect(await again.get('a')).toBeUndefined();
    expect(await again.get('b')).toBe('password-b');
  });

  it.each([
    ['basic_text', true],
    ['unknown', true],
    ['gnome_libsecret', false],
  ] as const)(
    'stay in memory if the system has no keyring (%s, available: %s)',
    async (backend, isAvailable) => {
      const path = join(folder, 'secrets.json');
      const secrets = await openSecrets(vault(backend, isAvailable), path, 'linux');
      expect(secrets.kind).toBe('memory');
      await secrets.set('a', 'password');
      expect(await secrets.get('a')).toBe('password');
      await expect(stat(path)).rejects.toThrow('ENOENT');
    },
  );

  it('are asked for again if the file or its key is lost', async () => {
    const path = join(folder, 'secrets.json');
    await writeFile(path, '{"version":1,"values":{"a":""}}');
    const secrets = await openSecrets(vault('gnome_libsecret'), path, 'linux');
    expect(await secrets.get('a')).toBeUndefined();
    await writeFile(path, 'torn');
    expect(await secrets.get('a')).toBeUndefined();
    await secrets.set('a', 'new');
    expect(await secrets.get('a')).toBe('new');
  });
});

describe('the window’s position', () => {
  const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }];
  const at = (x: number, y: number): Parameters<typeof openingBounds>[0] => ({
    bounds: { x, y, width: 1400, height: 900 },
    maximized: false,
  });

  it('is saved', async () => {
    const path = join(folder, 'a', 'window.json');
    const state = { bounds: { x: -5, y: 10, width: 1000, height: 700 }, maximized: true };
    writeWindowState(path, state);
    expect(readWindowState(path)).toEqual(state);
    await writeFile(path, '{"bounds":{"x":"?"}}');
    expect(readWindowState(path)).toBeUndefined();
  });

  it('is restored if it is on a screen', () => {
    expect(openingBounds(at(100, 50), screens)).toEqual({ x: 100, y: 50, width: 1400, height: 900 });
    expect(openingBounds(undefined, screens)).toEqual({ width: 1280, height: 800 });
  });

  it.each([
    ['right', 1900, 50],
    ['left', -1390, 50],
    ['above', 100, -40],
    ['below', 100, 1070],
  ])('is left to the system if the screen is gone: %s', (_where, x, y) => {
    expect(openingBounds(at(x, y), screens)).toEqual({ width: 1400, height: 900 });
  });
});

describe('saving a file', () => {
  const place = (target: string | undefined, asked: string[] = []): Parameters<typeof deliverFile>[0] => ({
    downloadsFolder: folder,
    choosePlace: (suggestion) => {
      asked.push(suggestion);
      return Promise.resolve(target);
    },
  });

  it('suggests the downloads folder and writes to the chosen path', async () => {
    const path = join(folder, 'source');
    await writeFile(path, 'weights');
    const target = join(folder, 'mine 模型.tar');
    const asked: string[] = [];
    const delivery = await deliverFile(place(target, asked), { path, name: 'model_best.pth.tar' });
    expect(asked).toEqual([join(folder, 'model_best.pth.tar')]);
    expect(delivery).toEqual({ name: 'model_best.pth.tar', bytes: 7, savedTo: target });
    expect(await readFile(target, 'utf8')).toBe('weights');
  });

  it('finding: leaves a browser’s download in progress beside it alone, and nothing of its own', async () => {
    const [path, target] = [join(folder, 'source'), join(folder, 'report.html')];
    await writeFile(path, 'report');
    await writeFile(`${target}.part`, 'of a browser');
    await deliverFile(place(target), { path, name: 'report.html' });
    await expect(deliverFile(place(target), { path: 'missing', name: 'x' })).rejects.toThrow();
    expect(await readFile(`${target}.part`, 'utf8')).toBe('of a browser');
    expect((await readdir(folder)).sort()).toEqual(['report.html', 'report.html.part', 'source']);
  });

  it('is cancelled if the dialog is closed', async () => {
    await expect(deliverFile(place(undefined), { path: 'x', name: 'x' })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('leaves an existing file intact if writing fails', async () => {
    const target = join(folder, 'kept');
    await writeFile(target, 'old');
    await expect(
      deliverFile(place(target), { path: join(folder, 'missing'), name: 'x' }),
    ).rejects.toMatchObject({
      code: 'file_unwritable',
    });
    expect(await readFile(target, 'utf8')).toBe('old');
  });
});

describe('paths', () => {
  it('are those of the project folder, or of the installed resources', () => {
    const developing = electronPaths({
      appPath: '/project',
      resources: '/electron',
      isPackaged: false,
      args: [],
    });
    expect(developing.assets).toBe(join('/project', 'assets'));
    const installed = electronPaths({ appPath: '/r/app.asar', resources: '/r', isPackaged: true, args: [] });
    expect(installed.assets).toBe(join('/r', 'assets'));
    expect(installed.nativeSource).toBe(join('/r', 'native'));
    expect(installed.pythonSource).toBe(join('/r', 'python'));
    expect(installed.renderer).toBe(join('/r/app.asar', 'dist', 'renderer'));
    expect(installed.preload).toBe(join('/r/app.asar', 'dist', 'main', 'preload.cjs'));
  });

  it('finding: have the data folder that the command line names', () => {
    vi.stubEnv('RINGLAB_DATA', '/by variable');
    const place = { appPath: '/project', resources: '/electron', isPackaged: false };
    const data = (...args: string[]): string => electronPaths({ ...place, args }).data;
    expect(data('--no-sandbox', '/project', '--data', '/tmp/try it')).toBe(resolve('/tmp/try it'));
    expect(data('/project', '--data=../数据')).toBe(resolve('../数据'));
    for (const args of [[], ['/project', '--data'], ['--data='], ['-psn_0_1']])
      expect(data(...args), args.join(' ')).toBe(resolve('/by variable'));
    vi.unstubAllEnvs();
  });
});
