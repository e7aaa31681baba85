/** The official client and our watch against a server that speaks the API: lists, watches, bookmarks, a version that is too old. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createApi } from './api.ts';
import type { KubernetesApi } from './contract.ts';
import { podOf } from './objects.ts';
import { watchKind } from './watch.ts';

let server: Server;
let folder: string;
let answer: (url: URL, response: ServerResponse, request: IncomingMessage) => void;
let asked: URL[];

const configOf = (port: number, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'team',
    clusters: [
      { name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'team', context: { cluster: 'c', user: 'u', namespace: 'lab' } }],
  });
const portOf = (): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};
const config = (): string => join(folder, 'kubeconfig');
const api = (watchMs = 20_000): KubernetesApi =>
  createApi({ type: 'kubernetes', image: 'i', kubeconfig: config() }, folder, { watchMs });

beforeEach(async () => {
  asked = [];
  folder = await mkdtemp(join(tmpdir(), 'ringlab-kubeconfig-'));
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    asked.push(url);
    answer(url, response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await writeFile(config(), configOf(portOf(), 'secret'));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const pod = (name: string, version: string, phase = 'Running') => ({
  metadata: { name, uid: name, resourceVersion: version },
  spec: {},
  status: { phase },
});
const say = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const line = (response: ServerResponse, type: string, object: unknown): void =>
  void response.write(`${JSON.stringify({ type, object })}\n`);

describe('requests', () => {
  it('use the kubeconfig’s token and namespace, and read it anew when it is refused', async () => {
    const tokens: (string | undefined)[] = [];
    answer = (_url, response, request) => {
      tokens.push(request.headers.authorization);
      const isNew = request.headers.authorization === 'Bearer renewed';
      say(response, isNew ? 200 : 401, isNew ? { items: [] } : { message: 'Unauthorized' });
    };
    const one = api();
    expect([await one.name(), await one.namespace()]).toEqual(['team', 'lab']);
    await expect(one.request({ method: 'GET', path: '/api/v1/pods' })).rejects.toMatchObject({
      code: 'cluster_login',
      params: { cluster: 'team', reason: 'Unauthorized' },
    });
    await writeFile(config(), configOf(portOf(), 'renewed'));
    expect((await one.request({ method: 'GET', path: '/api/v1/pods' })).status).toBe(200);
    expect(tokens).toEqual(['Bearer secret', 'Bearer secret', 'Bearer renewed']);
  });

  it('reach a server without TLS, as that of kubectl proxy, and through a proxy where there is one', async () => {
    answer = (_url, response) => say(response, 200, {});
    const plain = configOf(portOf(), '').replace(',"insecure-skip-tls-verify":true', '');
    await writeFile(config(), plain);
    expect((await api().request({ method: 'GET', path: '/x' })).status).toBe(200);

    const ways: (string | undefined)[] = [];
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    proxy.on('connect', (request, client) => {
      ways.push(request.url);
      const onward = connect(portOf(), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(onward).pipe(client);
      });
      for (const socket of [client, onward]) socket.on('error', () => undefined);
    });
    const address = proxy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await writeFile(
      config(),
      plain.replace('"cluster":{', `"cluster":{"proxy-url":"http://127.0.0.1:${port}",`),
    );
    expect((await api().request({ method: 'GET', path: '/x' })).status).toBe(200);
    expect(ways).toEqual([`127.0.0.1:${portOf()}`]);
    proxy.closeAllConnections();
    proxy.close();
  });

  it('are made as whom the kubeconfig says, also those that run commands', async () => {
    const heads: IncomingMessage['rawHeaders'][] = [];
    const impersonated = (raw: readonly string[]): string[] =>
      raw.flatMap((key, at) =>
        at % 2 === 0 && key.startsWith('Impersonate') ? `${key}: ${raw[at + 1]}` : [],
      );
    answer = (_url, response, request) => {
      heads.push(request.rawHeaders);
      say(response, 200, {});
    };
    server.on('upgrade', (request, socket) => {
      heads.push(request.rawHeaders);
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\n{}');
    });
    const user = '{"token":"secret","as":"viewer","as-groups":["g1","g2"],"as-uid":"7"}';
    await writeFile(config(), configOf(portOf(), 'secret').replace('{"token":"secret"}', user));
    const one = api();
    await one.request({ method: 'GET', path: '/x' });
    await expect(one.exec('pod', ['true'], undefined)).rejects.toMatchObject({ code: 'pods_refused' });
    const wanted = ['Group: g1', 'Group: g2', 'Uid: 7', 'User: viewer'].map((said) => `Impersonate-${said}`);
    expect(heads.map((raw) => impersonated(raw).toSorted())).toEqual([wanted, wanted]);
  });

  it.each([
    [403, 'pods is forbidden: User "ada" cannot create resource "pods"', 'cluster_forbidden'],
    [403, 'pods "x" is forbidden: exceeded quota: gpus', 'pods_refused'],
    [422, 'Job.batch "x" is invalid', 'pods_refused'],
    [503, 'etcdserver: request timed out', 'cluster_unreachable'],
  ])('say what %i means: %s', async (status, message, code) => {
    answer = (_url, response) => say(response, status, { message });
    await expect(api().request({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code,
      params: { reason: message },
    });
  });

  it('say that there is no kubeconfig, no such context, or no server', async () => {
    const missing = createApi({ type: 'kubernetes', image: 'i', kubeconfig: join(folder, 'none') }, folder);
    await expect(missing.namespace()).rejects.toMatchObject({ code: 'cluster_config' });
    const other = createApi(
      { type: 'kubernetes', image: 'i', kubeconfig: config(), context: 'prod' },
      folder,
    );
    await expect(other.namespace()).rejects.toMatchObject({
      code: 'cluster_config',
      params: { reason: expect.stringMatching(/prod.*team/) as unknown },
    });
    const one = api();
    await one.namespace();
    server.close();
    await once(server, 'close');
    await expect(one.request({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code: 'cluster_unreachable',
    });
  });
});

describe('a watch', () => {
  const watch = (watchMs?: number) =>
    watchKind({ api: api(watchMs), path: '/pods', selector: 'a=b', parse: podOf, clock: systemClock });
  const versions = (): (string | null)[] =>
    asked.map(({ searchParams }) =>
      searchParams.has('watch') ? searchParams.get('resourceVersion') : 'list',
    );

  it('goes on from the newest version, of an object or a bookmark, after the connection ended', async () => {
    let watches = 0;
    answer = (url, response) => {
      if (!url.searchParams.has('watch')) {
        say(response, 200, { metadata: { resourceVersion: '5' }, items: [pod('a', '3', 'Pending')] });
        return;
      }
      watches += 1;
      if (watches === 1) {
        line(response, 'MODIFIED', pod('a', '6'));
        line(response, 'BOOKMARK', { metadata: { resourceVersion: '9' } });
        response.end();
      } else if (watches === 2) line(response, 'ADDED', pod('b', '10'));
    };
    const watched = watch();
    await expect
      .poll(async () => (await watched.seen()).map(({ name, phase }) => `${name} ${phase}`), {
        timeout: 10_000,
      })
      .toEqual(['a Running', 'b Running']);
    expect(versions()).toEqual(['list', '5', '9']);
    watched.stop();
  });

  it('lists again where the version is too old, and forgets what is gone', async () => {
    let lists = 0;
    answer = (url, response) => {
      if (!url.searchParams.has('watch')) {
        lists += 1;
        const items = lists === 1 ? [pod('a', '1'), pod('b', '1')] : [pod('b', '20')];
        say(response, 200, { metadata: { resourceVersion: lists === 1 ? '2' : '20' }, items });
      } else if (url.searchParams.get('resourceVersion') === '2') {
        line(response, 'ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
        response.end();
      } else line(response, 'DELETED', pod('b', '21'));
    };
    const watched = watch();
    await expect.poll(async () => (await watched.seen()).length, { timeout: 10_000 }).toBe(0);
    expect(versions()).toEqual(['list', '2', 'list', '20']);
    watched.stop();
  });

  it('goes on where its connection is dead and seems to stand, and says no trouble for that alone', async () => {
    let watches = 0;
    answer = (url, response) => {
      if (!url.searchParams.has('watch'))
        say(response, 200, { metadata: { resourceVersion: '5' }, items: [pod('a', '3', 'Pending')] });
      else if ((watches += 1) === 1) line(response, 'BOOKMARK', { metadata: { resourceVersion: '7' } });
      else line(response, 'MODIFIED', pod('a', '8'));
    };
    const watched = watch(300);
    const phases = async (): Promise<string[]> => (await watched.seen()).map(({ phase }) => phase);
    await expect.poll(phases).toEqual(['Running']);
    watched.stop();
    expect(versions().slice(0, 3)).toEqual(['list', '5', '7']);
    // The server ends it before, if it is there.
    expect(asked[1]?.searchParams.get('timeoutSeconds')).toBe('60');
  });

  it('whose connection is cut off names its context, in words', async () => {
    answer = (url, response) => {
      if (!url.searchParams.has('watch'))
        say(response, 200, { metadata: { resourceVersion: '5' }, items: [] });
      else {
        line(response, 'BOOKMARK', { metadata: { resourceVersion: '7' } });
        setTimeout(() => response.socket?.resetAndDestroy(), 100);
      }
    };
    await expect(
      api().lines({ path: '/pods', query: { watch: 'true' } }, () => undefined),
    ).rejects.toMatchObject({
      code: 'cluster_unreachable',
      params: { cluster: 'team', reason: expect.stringContaining('cut off') as unknown },
    });
  });

  it('reports the trouble that it has, and recovers by itself', async () => {
    let isBroken = true;
    answer = (url, response) => {
      if (isBroken) say(response, 500, { message: 'broken' });
      else if (!url.searchParams.has('watch'))
        say(response, 200, { metadata: { resourceVersion: '1' }, items: [] });
    };
    const watched = watch();
    await expect(watched.seen()).rejects.toMatchObject({ code: 'cluster_unreachable' });
    isBroken = false;
    await expect.poll(() => watched.seen().catch(() => 'broken'), { timeout: 10_000 }).toEqual([]);
    watched.stop();
  });
});
