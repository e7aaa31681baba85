/** Finding 2: what another local user, another page and another program on the port can do with the web host. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionPaths, socketProtocol } from '../../shared/contract/web-session.ts';
import { showWindow, removeSpentOpeners } from '../hosts/cli/window/show-window.ts';
import { makeCode, openedCodeMs, printedCodeMs } from '../hosts/web/codes.ts';
import { createDownloads, findHost, startWebHost, type WebHost } from '../hosts/web/index.ts';
import {
  ask,
  challenge,
  codeOf,
  connect,
  enter,
  openSocket,
  originOf,
  postJson,
  proofOf,
} from '../hosts/web/testing/page-client.ts';
import { endProcess } from '../ssh/testing/processes.ts';

const run = promisify(execFile);
let folder: string;
let host: WebHost;
let served: number;
/** Milliseconds by which the host's clock is ahead. */
let ahead: number;

const start = (port = 0): Promise<WebHost> =>
  startWebHost({
    port,
    rendererFolder: join(folder, 'renderer'),
    downloads: createDownloads(),
    dataFolder: join(folder, 'data'),
    serve: () => {
      served += 1;
    },
    now: () => Date.now() + ahead,
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-entry-'));
  await mkdir(join(folder, 'renderer'));
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  served = 0;
  ahead = 0;
  host = await start();
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

describe('finding 2: another user of this computer', () => {
  it.skipIf(process.platform !== 'linux')(
    'finds no secret in any argument while the window opens',
    async () => {
      // A browser that takes its time, as browsers do.
      const bin = join(folder, 'bin');
      await mkdir(bin);
      await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho $$ > ${folder}/pid\nexec sleep 60\n`);
      await chmod(join(bin, 'xdg-open'), 0o755);
      const before = { PATH: process.env.PATH, DISPLAY: process.env.DISPLAY };
      process.env.PATH = `${bin}${delimiter}${before.PATH ?? ''}`;
      process.env.DISPLAY = ':0';
      const address = host.address(openedCodeMs);
      let opener: string;
      try {
        opener = await showWindow(join(folder, 'data'), address);
      } finally {
        Object.assign(process.env, before);
        if (before.DISPLAY === undefined) delete process.env.DISPLAY;
      }
      const pid = await waitFor(async () => {
        const [number] = /^\d+(?=\n)/.exec(await readFile(join(folder, 'pid'), 'utf8')) ?? [];
        if (number === undefined) throw new Error('the number is not yet written');
        return number;
      });
      try {
        for (const other of await readdir('/proc')) {
          if (!/^\d+$/.test(other)) continue;
          const said = await readFile(`/proc/${other}/cmdline`, 'utf8').catch(() => '');
          expect(said).not.toContain(codeOf(address));
        }
        expect((await stat(opener)).mode & 0o777).toBe(0o600);
        expect(await readFile(opener, 'utf8')).toContain(address);
        await enter(host.port, codeOf(address));
        await removeSpentOpeners(join(folder, 'data'), codeOf(address));
        await expect(stat(opener)).rejects.toThrow('ENOENT');
      } finally {
        endProcess(pid);
      }
    },
  );

  it.skipIf(process.getuid?.() !== 0)('cannot read the opener or the host file', async () => {
    await chmod(folder, 0o755);
    // Even where the data folder itself is open.
    await chmod(join(folder, 'data'), 0o755);
    const opener = join(folder, 'data', 'web-host.json');
    await expect(run('setpriv', ['--reuid=65534', '--clear-groups', 'cat', opener])).rejects.toThrow(
      /Permission denied/,
    );
  });

  it('gets no socket without a code, a key and a cookie', async () => {
    const { key, cookie } = await enter(host.port, codeOf(host.address()));
    const Origin = originOf(host.port);
    const handshake = await challenge(host.port, key);
    const proof = proofOf(key.key, handshake);
    await expect(openSocket(host.port, [socketProtocol], { Origin, Cookie: cookie })).rejects.toThrow('403');
    // A server of another user on another port of 127.0.0.1 is sent the cookie, and has no key.
    const forged = proofOf(randomBytes(32).toString('base64url'), handshake);
    await expect(openSocket(host.port, [socketProtocol, forged], { Origin, Cookie: cookie })).rejects.toThrow(
      '403',
    );
    // The key without the cookie: a page of another browser.
    await expect(openSocket(host.port, [socketProtocol, proof], { Origin })).rejects.toThrow('403');
    expect(served).toBe(0);
    (await connect(host.port, key, cookie)).socket.terminate();
    // A handshake that was heard is of no use again.
    await expect(openSocket(host.port, [socketProtocol, proof], { Origin, Cookie: cookie })).rejects.toThrow(
      '403',
    );
    expect(served).toBe(1);
  });

  it('the cookie is host-only, HttpOnly, and restricted to this port’s name and this host’s paths', async () => {
    const answer = await postJson(host.port, sessionPaths.exchange, { code: codeOf(host.address()) });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^ringlab-${host.port}=[\\w-]{43}; Path=/session; HttpOnly; SameSite=Strict$`),
      ),
    ]);
  });
});

describe('finding 2: a code', () => {
  it('is valid once', async () => {
    const code = codeOf(host.address());
    await enter(host.port, code);
    await expect(enter(host.port, code)).rejects.toThrow('401');
  });

  it('is valid again for the tab that used it, and for no other', async () => {
    const [code, tab] = [codeOf(host.address()), 't'.repeat(32)];
    const first = await enter(host.port, code, tab);
    // The page was reloaded before the answer.
    expect((await enter(host.port, code, tab)).key).not.toEqual(first.key);
    await expect(enter(host.port, code, 'o'.repeat(32))).rejects.toThrow('401');
    await expect(enter(host.port, code)).rejects.toThrow('401');
    const without = codeOf(host.address());
    await enter(host.port, without);
    await expect(enter(host.port, without, tab)).rejects.toThrow('401');
    ahead = printedCodeMs + 1000;
    await expect(enter(host.port, code, tab)).rejects.toThrow('401');
  });

  it('expires, and its time cannot be extended', async () => {
    const code = codeOf(host.address());
    ahead = printedCodeMs + 1000;
    await expect(enter(host.port, code)).rejects.toThrow('401');
    const [, nonce, signature] = code.split('.');
    await expect(enter(host.port, `${Date.now() + ahead + 1000}.${nonce}.${signature}`)).rejects.toThrow(
      '401',
    );
    await expect(enter(host.port, `${code}.`)).rejects.toThrow('401');
  });

  it('is not valid for another start or port', async () => {
    const code = codeOf(host.address());
    const { key } = await findHost(join(folder, 'data'));
    await expect(enter(host.port, makeCode(key, 'http://127.0.0.1:1', 1000))).rejects.toThrow('401');
    const { port } = host;
    await host.close();
    host = await start(port);
    await expect(enter(port, code)).rejects.toThrow('401');
  });

  it('cannot be guessed quickly, and guesses do not lock the user out', async () => {
    const code = codeOf(host.address());
    const answers = [];
    for (let guess = 0; guess < 40; guess += 1)
      answers.push((await postJson(host.port, sessionPaths.exchange, { code: `${code}${guess}` })).status);
    expect(answers.filter((status) => status === 401)).toHaveLength(20);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
    await enter(host.port, code);
  });

  it('is not read from a huge body or invalid JSON', async () => {
    for (const body of ['x'.repeat(100_000), '{"code":', '[]', '{"code":17}']) {
      const answer = await ask(host.port, sessionPaths.exchange, {
        method: 'POST',
        headers: { Origin: originOf(host.port), 'Content-Type': 'application/json' },
        body,
      }).catch(() => ({ status: 0 }));
      expect([0, 401]).toContain(answer.status);
    }
    // What a form of another site can send.
    const form = await ask(host.port, sessionPaths.exchange, {
      method: 'POST',
      headers: { Origin: originOf(host.port), 'Content-Type': 'text/plain' },
      body: JSON.stringify({ code: codeOf(host.address()) }),
    });
    expect(form.status).toBe(401);
  });
});

describe('finding 2: another page in the same browser', () => {
  const places: Record<string, string>[] = [
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Host: 'evil.example' },
    { Host: 'localhost' },
    { Origin: 'http://127.0.0.1:1' },
    { Origin: 'https://127.0.0.1' },
    {},
  ];
  it.each(places)('is refused a session, a proof and a socket: %j', async (place) => {
    const headers = { 'Content-Type': 'application/json', ...place };
    const code = codeOf(host.address());
    const post = (path: string, value: unknown) =>
      ask(host.port, path, { method: 'POST', headers, body: JSON.stringify(value) });
    expect((await post(sessionPaths.exchange, { code })).status).toBe(403);
    const { key, cookie } = await enter(host.port, code);
    const asked = await post(sessionPaths.challenge, { session: key.session, nonce: 'n'.repeat(32) });
    expect(asked.status).toBe(403);
    const handshake = await challenge(host.port, key);
    const protocols = [socketProtocol, proofOf(key.key, handshake)];
    await expect(openSocket(host.port, protocols, { ...place, Cookie: cookie })).rejects.toThrow('403');
    expect(served).toBe(0);
  });

  it('is refused on another port, although it is the same site', async () => {
    const answer = await postJson(
      host.port,
      sessionPaths.exchange,
      { code: codeOf(host.address()) },
      { 'Sec-Fetch-Site': 'same-site' },
    );
    expect(answer.status).toBe(403);
  });

  it('gets no permission from a preflight, and cannot frame the page', async () => {
    const preflight = await ask(host.port, sessionPaths.challenge, {
      method: 'OPTIONS',
      headers: { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('finding 2: a program that listens on the port after the app has stopped', () => {
  it('is not accepted by `ringlab open`, and receives nothing that is valid for the next start', async () => {
    const { port } = host;
    const data = join(folder, 'data');
    const left = await readFile(join(data, 'web-host.json'), 'utf8');
    await host.close();
    // As after SIGKILL: the host file is still there.
    await writeFile(join(data, 'web-host.json'), left, { mode: 0o600 });
    await expect(findHost(data)).rejects.toMatchObject({ code: 'web_not_running' });
    const seen: string[] = [];
    const impostor = createServer((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`);
      request.on('data', (part: Buffer) => seen.push(part.toString('utf8')));
      request.on('end', () => {
        response.end(JSON.stringify({ nonce: 'n'.repeat(32), proof: 'p'.repeat(43) }));
      });
    });
    await new Promise<void>((resolve) => impostor.listen(port, '127.0.0.1', resolve));
    await expect(findHost(data)).rejects.toMatchObject({ code: 'web_stranger' });
    await new Promise((resolve) => impostor.close(resolve));
    const { key } = JSON.parse(left) as { key: string };
    expect(seen.join('\n')).toContain(sessionPaths.challenge);
    expect(seen.join('\n')).not.toContain(key);
    host = await start(port);
    expect((await findHost(data)).key).not.toBe(key);
  });

  it('cannot use a tab’s stored data: sessions and cookies are valid for one start', async () => {
    const { port } = host;
    const { key, cookie } = await enter(port, codeOf(host.address()));
    await host.close();
    host = await start(port);
    await expect(challenge(port, key)).rejects.toThrow('401');
    const answer = await ask(port, `${sessionPaths.download}x`, { headers: { Cookie: cookie } });
    expect(answer.status).toBe(403);
  });

  it('cannot relay a tab’s handshake to the app on another port', async () => {
    const { key, cookie } = await enter(host.port, codeOf(host.address()));
    const { welcome, socket } = await connect(host.port, key, cookie);
    socket.terminate();
    const tabOrigin = originOf(host.port);
    await host.close();
    host = await start();
    const relayed = await postJson(
      host.port,
      sessionPaths.challenge,
      { session: welcome.ticket?.session, nonce: 'n'.repeat(32) },
      { Origin: tabOrigin },
    );
    expect(relayed.status).toBe(403);
    const asOwn = await postJson(host.port, sessionPaths.challenge, {
      session: welcome.ticket?.session,
      nonce: 'n'.repeat(32),
    });
    expect(asOwn.status).toBe(401);
  });
});

async function waitFor<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (tries > 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
