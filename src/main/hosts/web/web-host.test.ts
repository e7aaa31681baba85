import { once } from 'node:events';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RinglabError } from '../../../shared/base/errors.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { say } from '../../i18n/index.ts';
import { createDownloads, findHost, startWebHost, type WebHost } from './index.ts';
import { ask, codeOf, connect, enter, originOf, type Entered } from './testing/page-client.ts';

let folder: string;
let host: WebHost;
let entered: Entered;
const refused: RinglabError[] = [];
const downloads = createDownloads();
const options = () => ({
  port: 0,
  rendererFolder: join(folder, 'renderer'),
  downloads,
  dataFolder: folder,
  serve: (transport: Parameters<Parameters<typeof startWebHost>[0]['serve']>[0]) => {
    transport.onMessage((message) => transport.send({ type: 'response', id: 1, ok: true, value: message }));
  },
  onRefused: (error: RinglabError) => refused.push(error),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-web-'));
  await mkdir(join(folder, 'renderer'));
  await writeFile(join(folder, 'renderer', 'index.html'), '<!doctype html><title>Ringlab</title>');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(folder, 'renderer', 'link.txt'));
  host = await startWebHost(options());
  entered = await enter(host.port, codeOf(host.address()));
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

const answerOf = (socket: Awaited<ReturnType<typeof connect>>['socket']): Promise<unknown> =>
  new Promise((resolve) =>
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')))),
  );

describe('the web host', () => {
  it('serves the renderer that it was started with while an update replaces the files', async () => {
    const renderer = join(folder, 'updated');
    await mkdir(join(renderer, 'assets'), { recursive: true });
    await writeFile(join(renderer, 'index.html'), 'before');
    await writeFile(join(renderer, 'assets', 'lazy 1.js'), 'lazy');
    const started = await startWebHost({ ...options(), rendererFolder: renderer });
    try {
      expect((await ask(started.port, '/')).body).toBe('before');
      await rm(join(renderer, 'assets'), { recursive: true });
      await writeFile(join(renderer, 'index.html'), 'after');
      expect((await ask(started.port, '/index.html')).body).toBe('before');
      const lazy = await ask(started.port, '/assets/lazy%201.js');
      expect([lazy.status, lazy.body, lazy.headers['content-type']]).toEqual([
        200,
        'lazy',
        'text/javascript; charset=utf-8',
      ]);
    } finally {
      await started.close();
    }
  });

  it('sends the compressed form of a file to a browser that takes it: the page may come over a slow link', async () => {
    const renderer = join(folder, 'compressed');
    await mkdir(join(renderer, 'assets'), { recursive: true });
    await writeFile(join(renderer, 'assets', 'a.js'), 'whole');
    await writeFile(join(renderer, 'assets', 'a.js.gz'), gzipSync('packed'));
    const started = await startWebHost({ ...options(), rendererFolder: renderer });
    try {
      const path = '/assets/a.js';
      const plain = await ask(started.port, path);
      expect([plain.body, plain.headers['content-encoding']]).toEqual(['whole', undefined]);
      const packed = await fetch(`${originOf(started.port)}${path}`, {
        headers: { 'Accept-Encoding': 'gzip, deflate, br' },
      });
      expect(await packed.text()).toBe('packed');
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(packed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      // It is no file of its own.
      expect((await ask(started.port, `${path}.gz`)).status).toBe(404);
    } finally {
      await started.close();
    }
  });

  it('serves the renderer with a strict policy, and to no other site', async () => {
    const page = await ask(host.port, '/');
    expect(page.status).toBe(200);
    expect(page.body).toContain('Ringlab');
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /script-src 'self'.*frame-ancestors 'none'/,
      ) as unknown,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/link.txt', '/%00', '/%'])(
    'serves nothing outside its folder: %s',
    async (path) => {
      const answer = await ask(host.port, path);
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain('secret');
    },
  );

  it('fault 40: refuses and logs a foreign Host, as in DNS rebinding', async () => {
    const before = refused.length;
    expect((await ask(host.port, '/', { headers: { Host: 'evil.example' } })).status).toBe(403);
    const longer = `127.0.0.1.evil.example:${host.port}`;
    expect((await ask(host.port, '/', { headers: { Host: longer } })).status).toBe(403);
    expect((await ask(host.port, '/', { headers: { Origin: 'http://evil.example' } })).status).toBe(403);
    expect(refused.slice(before).map((error) => error.code)).toEqual([
      'origin_refused',
      'origin_refused',
      'origin_refused',
    ]);
  });

  it('delivers messages of an authenticated page, and malformed ones as undefined', async () => {
    const { socket } = await connect(host.port, entered.key, entered.cookie);
    socket.send(JSON.stringify({ hello: '环' }));
    expect(await answerOf(socket)).toMatchObject({ value: { hello: '环' } });
    socket.send('{not json');
    expect(await answerOf(socket)).toEqual({ type: 'response', id: 1, ok: true });
    socket.close();
  });

  it('finding: notices a cut line, while one that answers stays', async () => {
    const data = join(folder, 'beating');
    await mkdir(data);
    const clock = createHandClock();
    const started = await startWebHost({ ...options(), dataFolder: data, clock });
    try {
      const { key, cookie } = await enter(started.port, codeOf(started.address()));
      const [live, cut] = [
        await connect(started.port, key, cookie),
        await connect(started.port, key, cookie),
      ];
      expect(live.welcome.silentMs).toBe(60_000);
      // As where a relay on the way stops to pass anything on.
      cut.socket.pause();
      for (let beat = 0; beat < 4; beat += 1) {
        const said = answerOf(live.socket);
        clock.pass(15_000);
        expect(await said).toEqual({ type: 'events', events: [] });
        // Its answer to a ping of the script's own, which the host has after that to its ping.
        const back = once(live.socket, 'pong');
        live.socket.ping();
        await back;
      }
      await expect.poll(() => started.windows()).toBe(1);
      expect(live.socket.readyState).toBe(live.socket.OPEN);
    } finally {
      await started.close();
    }
  });

  it('recognises a tab after a restart that connected long before it, and was there until then', async () => {
    let passed = 0;
    const now = (): number => Date.now() + passed;
    const dataFolder = join(folder, 'long');
    await mkdir(dataFolder);
    const start = (port: number): Promise<WebHost> => startWebHost({ ...options(), dataFolder, port, now });
    const first = await start(0);
    const { key, cookie } = await enter(first.port, codeOf(first.address()));
    const { welcome } = await connect(first.port, key, cookie);
    const day = 24 * 3600_000;
    for (let at = 0; at < 40; at++) {
      passed += day / 4;
      // Another tab, loaded again and again.
      const page = await connect(first.port, key, cookie);
      page.socket.terminate();
    }
    expect(passed).toBe(10 * day);
    await first.close();
    const second = await start(first.port);
    const again = await connect(second.port, welcome.ticket!, cookie);
    expect(again.welcome.ticket).toBeUndefined();
    // It is gone, and for longer than a ticket is kept.
    again.socket.terminate();
    await expect.poll(() => second.windows()).toBe(0);
    await second.close();
    passed += 8 * day;
    const third = await start(first.port);
    await expect(connect(third.port, welcome.ticket!, cookie)).rejects.toThrow('401');
    await third.close();
  });

  it('recognises a tab by its ticket after a restart, and sets a cookie for the new start', async () => {
    const first = await startWebHost(options());
    const { key, cookie } = await enter(first.port, codeOf(first.address()));
    const { welcome, socket } = await connect(first.port, key, cookie);
    expect(welcome.code).toBeUndefined();
    socket.terminate();
    await first.close();
    const second = await startWebHost({ ...options(), port: first.port });
    const again = await connect(second.port, welcome.ticket!, cookie);
    expect(again.welcome.ticket).toBeUndefined();
    const fresh = await enter(second.port, again.welcome.code!);
    expect(fresh.cookie).not.toBe(cookie);
    again.socket.terminate();
    (await connect(second.port, fresh.key, fresh.cookie)).socket.terminate();
    await second.close();
  });

  it('serves an exported file once, to the connected browser', async () => {
    const offered = await downloads.offer({ path: join(folder, 'secret.txt'), name: '模型 best.tar' });
    const path = offered.url ?? '';
    expect((await ask(host.port, path)).status).toBe(403);
    const first = await ask(host.port, path, { headers: { Cookie: entered.cookie } });
    expect(first.body).toBe('secret');
    expect(first.headers['content-disposition']).toContain(encodeURIComponent('模型 best.tar'));
    const headers = { Cookie: entered.cookie, 'Accept-Language': 'zh-CN,zh;q=0.9' };
    const again = await ask(host.port, path, { headers });
    expect([again.status, again.body]).toEqual([404, `${say('zh-CN', 'web.usedDownload')}\n`]);
  });

  it.each([
    ['../../.bashrc', '__.._.bashrc'],
    ['photo\u202egnp.exe', 'photo_gnp.exe'],
    ['a\r\nSet-Cookie: x=1.csv', 'a__Set-Cookie: x=1.csv'],
    ["it's (1)*.tar", "it's (1)*.tar"],
    ['\ud800.csv', '\ufffd.csv'],
    ['..', '_'],
    [' ', 'file'],
  ])('finding: a download named %j is called %j', async (name, shown) => {
    const offered = await downloads.offer({ path: join(folder, 'secret.txt'), name });
    expect(offered.name).toBe(shown);
    const answer = await ask(host.port, offered.url ?? '', { headers: { Cookie: entered.cookie } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers)).not.toContain('set-cookie');
    const [, header] =
      /filename\*=UTF-8''([\w.%~!-]+)$/.exec(String(answer.headers['content-disposition'])) ?? [];
    expect(decodeURIComponent(header ?? '')).toBe(shown);
  });

  it('finding: is found without a proxy, also where Node uses one for its own requests', async () => {
    const data = join(folder, 'proxied');
    await mkdir(data);
    const started = await startWebHost({ ...options(), dataFolder: data });
    // Nothing listens there.
    const restore = http.setGlobalProxyFromEnv({ http_proxy: 'http://127.0.0.1:9' });
    try {
      expect(await findHost(data)).toMatchObject({ port: started.port });
    } finally {
      restore();
      await started.close();
    }
  });

  it('finding: names its file where that cannot be written, as on a full disk', async () => {
    const path = join(folder, 'no folder', 'web-host.json');
    await expect(startWebHost({ ...options(), dataFolder: join(folder, 'no folder') })).rejects.toMatchObject(
      {
        code: 'file_unwritable',
        params: { path },
      },
    );
  });

  it('reports a port in use', async () => {
    await expect(startWebHost({ ...options(), port: host.port })).rejects.toMatchObject({
      code: 'port_taken',
      params: { port: host.port },
    });
    // The running host's file is not changed by the attempt.
    expect(originOf(host.port)).toBe(new URL(host.address()).origin);
  });
});
