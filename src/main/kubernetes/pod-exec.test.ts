/** Commands in pods, against a server that speaks the API server's protocol for them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { createApi } from './api.ts';
import type { KubernetesApi } from './contract.ts';

let server: Server;
let sockets: WebSocketServer;
let folder: string;
let asked: URL[];
/** What the pod does with a command. */
let serve: (socket: WebSocket) => void;
let protocol: string;
let refusal: number | undefined;
let refusalBody: string;

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 };
const say = (socket: WebSocket, channel: number, data: string): void =>
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)]));
const end = (socket: WebSocket, code: number): void => {
  const status =
    code === 0
      ? { status: 'Success' }
      : {
          status: 'Failure',
          reason: 'NonZeroExitCode',
          details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
        };
  say(socket, channels.status, JSON.stringify({ kind: 'Status', metadata: {}, ...status }));
  socket.close();
};

beforeEach(async () => {
  asked = [];
  refusal = undefined;
  refusalBody = '';
  protocol = 'v5.channel.k8s.io';
  folder = await mkdtemp(join(tmpdir(), 'ringlab-exec-'));
  server = createServer().listen(0, '127.0.0.1');
  sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
  server.on('upgrade', (request, socket, head) => {
    asked.push(new URL(request.url ?? '', 'http://localhost'));
    if (refusal !== undefined) {
      socket.on('error', () => undefined);
      socket.end(
        `HTTP/1.1 ${refusal} No\r\ncontent-length: ${Buffer.byteLength(refusalBody)}\r\n\r\n${refusalBody}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => serve(accepted));
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await writeFile(
    join(folder, 'config'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'team',
      clusters: [
        { name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'u', user: { token: 'secret' } }],
      contexts: [{ name: 'team', context: { cluster: 'c', user: 'u', namespace: 'lab' } }],
    }),
  );
});
afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});
const api = (): KubernetesApi =>
  createApi({ type: 'kubernetes', image: 'i', kubeconfig: join(folder, 'config') }, folder);

describe('a command in a pod', () => {
  it('gets its input to the end, and its output and exit code arrive whole', async () => {
    serve = (socket) => {
      let input = '';
      socket.on('message', (data: Buffer) => {
        const [channel = 0] = data;
        if (channel === channels.stdin) input += data.toString('utf8', 1);
        if (channel !== channels.close) return;
        say(socket, channels.stdout, `got ${input.length}`);
        say(socket, channels.stderr, 'and failed');
        end(socket, 3);
      });
    };
    const process = await api().exec('pod-1', ['sh', '-c', 'cat | wc -c'], undefined);
    process.stdin.end('x'.repeat(300_000));
    const [stdout, stderr, code] = await Promise.all([
      text(process.stdout),
      text(process.stderr),
      process.ended,
    ]);
    expect({ stdout, stderr, code }).toEqual({ stdout: 'got 300000', stderr: 'and failed', code: 3 });
    expect(asked[0]?.pathname).toBe('/api/v1/namespaces/lab/pods/pod-1/exec');
    expect(asked[0]?.searchParams.getAll('command')).toEqual(['sh', '-c', 'cat | wc -c']);
  });

  it('has no exit code where the connection is lost first', async () => {
    serve = (socket) => socket.terminate();
    const process = await api().exec('pod-1', ['true'], undefined);
    process.stdout.resume();
    expect(await process.ended).toBeUndefined();
  });

  it('is refused by a server that cannot close an input alone', async () => {
    protocol = 'v4.channel.k8s.io';
    serve = () => undefined;
    await expect(api().exec('pod-1', ['true'], undefined)).rejects.toMatchObject({
      code: 'pods_refused',
      params: { reason: expect.stringContaining('v5.channel.k8s.io') as unknown },
    });
  });

  it.each([
    [404, 'pod_gone'],
    [401, 'cluster_login'],
    [502, 'cluster_unreachable'],
  ])('says what the status %i of the server means', async (status, code) => {
    refusal = status;
    await expect(api().exec('pod-1', ['true'], undefined)).rejects.toMatchObject({ code });
  });

  it('is refused in the cluster’s own words', async () => {
    refusal = 403;
    const message = 'pods "pod-1" is forbidden: User "u" cannot get resource "pods/exec"';
    refusalBody = JSON.stringify({ kind: 'Status', code: 403, message });
    await expect(api().exec('pod-1', ['true'], undefined)).rejects.toMatchObject({
      code: 'cluster_forbidden',
      params: { cluster: 'team', namespace: 'lab', reason: message },
    });
  });

  it('is refused in the first words of a proxy’s long answer', async () => {
    refusal = 403;
    refusalBody = 'x'.repeat(1_000_000);
    await expect(api().exec('pod-1', ['true'], undefined)).rejects.toMatchObject({
      code: 'pods_refused',
      params: { reason: expect.stringMatching(/^x{500}$/) as unknown },
    });
  });
});
