/** Login programs of kubeconfigs, against a server that says which token it was asked with. */
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createApi } from './api.ts';
import type { KubernetesApi } from './contract.ts';

let server: Server;
let sockets: WebSocketServer;
let folder: string;
let tokens: (string | undefined)[];
/** The token that the server takes; empty: any. */
let valid: string;

beforeEach(async () => {
  tokens = [];
  valid = '';
  folder = await mkdtemp(join(tmpdir(), 'ringlab-credentials-'));
  server = createServer(({ headers }, response) => {
    tokens.push(headers.authorization);
    const isGood = valid === '' || headers.authorization === `Bearer ${valid}`;
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'v5.channel.k8s.io' });
  server.on('upgrade', (request, socket, head) => {
    tokens.push(request.headers.authorization);
    sockets.handleUpgrade(request, socket, head, (accepted) => accepted.close());
  });
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * @param program shell text before it prints its `$n`-th token
 * @param more of the user's `exec` and of the cluster
 */
async function apiWith(
  program: string,
  loginMs?: number,
  more: { readonly exec?: object; readonly cluster?: object } = {},
): Promise<KubernetesApi> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const command = join(folder, 'login.sh');
  const credential = '{"kind":"ExecCredential","status":{"token":"t%s"}}';
  const lines = ['#!/bin/sh', `cd '${folder}'`, 'echo start >>starts', 'n=$(wc -l <starts)', program];
  await writeFile(command, [...lines, `printf '${credential}' $((n))`, ''].join('\n'));
  await chmod(command, 0o700);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, ...more.exec };
  await writeFile(
    join(folder, 'config'),
    JSON.stringify({
      'current-context': 'team',
      clusters: [
        {
          name: 'c',
          cluster: {
            ...{ server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
            ...more.cluster,
          },
        },
      ],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'team', context: { cluster: 'c', user: 'u', namespace: 'lab' } }],
    }),
  );
  return createApi({ type: 'kubernetes', image: 'i', kubeconfig: join(folder, 'config') }, folder, {
    ...(loginMs === undefined ? {} : { loginMs }),
  });
}
const ask = { method: 'GET', path: '/version' } as const;
const starts = async (): Promise<number> =>
  (await readFile(join(folder, 'starts'), 'utf8').catch(() => '')).split('\n').length - 1;
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('are asked once for all requests and commands that wait for them', async () => {
  const api = await apiWith('sleep 0.3');
  const commands = [1, 2].map(async () => (await api.exec('pod', ['true'], undefined)).ended);
  await Promise.all([...Array.from({ length: 15 }, () => api.request(ask)), ...commands]);
  expect(await starts()).toBe(1);
  expect(tokens).toEqual(Array.from({ length: 17 }, () => 'Bearer t1'));
});

it('come from a program that gets what kubectl gives it: the cluster where it wants that', async () => {
  const given = async (exec: object, cluster: object = {}): Promise<unknown> => {
    const api = await apiWith('printf %s "$KUBERNETES_EXEC_INFO" >info; echo "$OWN" >>info', 20_000, {
      exec: { ...exec, env: [{ name: 'OWN', value: '' }] },
      cluster,
    });
    await api.request(ask);
    return JSON.parse(await readFile(join(folder, 'info'), 'utf8')) as unknown;
  };
  const kind = 'ExecCredential';
  expect(await given({})).toEqual({
    ...{ apiVersion: 'client.authentication.k8s.io/v1', kind, spec: { interactive: false } },
  });
  await writeFile(join(folder, 'ca.crt'), 'certificates');
  const wants = { apiVersion: 'client.authentication.k8s.io/v1beta1', provideClusterInfo: true };
  const data = Buffer.from('certificates').toString('base64');
  for (const certificates of [{ 'certificate-authority': 'ca.crt' }, { 'certificate-authority-data': data }])
    expect(
      await given(wants, {
        ...{ ...certificates, 'tls-server-name': 'inner.example' },
        extensions: [
          { name: 'other', extension: { a: 1 } },
          { name: 'client.authentication.k8s.io/exec', extension: { audience: 'team' } },
        ],
      }),
    ).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind,
      spec: {
        cluster: {
          server: expect.stringMatching(/^http:\/\/127/) as unknown,
          'tls-server-name': 'inner.example',
          'insecure-skip-tls-verify': true,
          'certificate-authority-data': data,
          config: { audience: 'team' },
        },
        interactive: false,
      },
    });
});

it('say which program is missing, and what the kubeconfig says of it', async () => {
  const hint = 'Install it by following https://docs.example';
  for (const [installHint, said] of [
    [hint, /no-such-program.*is not found.*Install it by/],
    ['', /no-such-program.*is not found.*full path/],
  ] as const) {
    const api = await apiWith('', 20_000, { exec: { command: 'no-such-program', installHint } });
    await expect(api.request(ask)).rejects.toMatchObject({
      code: 'cluster_login',
      params: { cluster: 'team', reason: expect.stringMatching(said) as unknown },
    });
  }
});

it('are asked again where the server refuses what they gave', async () => {
  const api = await apiWith('');
  await api.request(ask);
  valid = 't2';
  await Promise.all([api.request(ask), api.request(ask)]);
  expect(await starts()).toBe(2);
});

it('may be given up while they wait, and one that answers later serves the next request', async () => {
  const api = await apiWith('until [ -e go ]; do sleep 0.05; done');
  for (const work of [
    (signal: AbortSignal) => api.request({ ...ask, signal }),
    (signal: AbortSignal) => api.exec('pod', ['true'], undefined, signal),
  ]) {
    const giving = new AbortController();
    const asked = work(giving.signal);
    await expect.poll(starts).toBe(1);
    giving.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  }
  const next = api.request(ask);
  await writeFile(join(folder, 'go'), '');
  await next;
  expect([await starts(), tokens]).toEqual([1, ['Bearer t1']]);
});

it('are said where they do not answer', async () => {
  const api = await apiWith('exec sleep 3', 200);
  const late = { code: 'cluster_login', params: { cluster: 'team' }, where: 'team' };
  await expect(api.request(ask)).rejects.toMatchObject(late);
  await expect(api.request(ask)).rejects.toThrow(/login program has not answered within 0.2 s/);
  await expect(api.exec('pod', ['true'], undefined)).rejects.toMatchObject(late);
  expect(tokens).toEqual([]);
});

it.each([
  ['when they are asked to', 'echo $$ >>pids; exec sleep 60'],
  ['by force', "trap '' TERM; echo $$ >>pids; for wait in 1 2 3 4 5 6; do sleep 10; done"],
])('are ended where they do not answer, %s: each request starts another', async (_how, program) => {
  const api = await apiWith(program, 200);
  let pids: number[] = [];
  // One that is ended before it could say its number does not count.
  while (pids.length < 2) {
    await expect(api.request(ask)).rejects.toMatchObject({ code: 'cluster_login' });
    const said = await readFile(join(folder, 'pids'), 'utf8').catch(() => '');
    pids = said.split('\n').flatMap((line) => (line === '' ? [] : Number(line)));
  }
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});
