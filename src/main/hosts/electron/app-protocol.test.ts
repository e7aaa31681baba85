import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStaticFiles } from '../web/static-files.ts';
import { answer, appPage, isAppAddress } from './app-protocol.ts';

let folder: string;
let renderer: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-protocol-'));
  renderer = join(folder, 'renderer');
  await mkdir(join(renderer, 'assets'), { recursive: true });
  await writeFile(join(renderer, 'index.html'), '<title>Ringlab</title>');
  await writeFile(join(renderer, 'assets', 'main.js'), 'export {};');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await mkdir(join(folder, 'renderer-of-another'));
  await writeFile(join(folder, 'renderer-of-another', 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(renderer, 'linked.txt'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const get = async (address: string, method = 'GET'): Promise<Response> =>
  answer(new Request(address, { method }), await readStaticFiles(renderer));

describe('the window’s own protocol', () => {
  it('serves the page with a strict policy: its own scripts only, no inline ones', async () => {
    const response = await get(appPage);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Ringlab');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe("'self'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('serves scripts with their media type', async () => {
    const response = await get('ringlab://app/assets/main.js');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each([
    'ringlab://app/../secret.txt',
    'ringlab://app/%2e%2e/secret.txt',
    'ringlab://app/..%2fsecret.txt',
    'ringlab://app/..%5csecret.txt',
    'ringlab://app/assets/..%2f..%2fsecret.txt',
    'ringlab://app/..%2frenderer-of-another%2fsecret.txt',
    'ringlab://app/linked.txt',
    'ringlab://app//etc/passwd',
    'ringlab://app/%00',
    'ringlab://app/%ff',
    'ringlab://app/assets',
    'ringlab://app/missing.js',
  ])('does not leave the renderer’s folder: %s', async (address) => {
    const response = await get(address);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('');
  });

  it('refuses other hosts and other methods', async () => {
    expect((await get('ringlab://evil/index.html')).status).toBe(403);
    expect((await get(appPage, 'POST')).status).toBe(405);
  });
});

describe('our own addresses', () => {
  it.each(['ringlab://app/', 'ringlab://app/index.html#/runs'])('include %s', (address) => {
    expect(isAppAddress(address)).toBe(true);
  });
  it.each([
    'ringlab://app.evil/',
    'ringlab://evil/app',
    'ringlab://user@app/',
    'ringlabs://app/',
    'https://app/',
    'file:///app',
    'about:blank',
    'data:text/html,ringlab://app/',
    '',
  ])('do not include %s', (address) => {
    expect(isAppAddress(address)).toBe(false);
  });
});
