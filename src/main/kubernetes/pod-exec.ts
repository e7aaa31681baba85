/** Runs a command in a pod over the API server's WebSocket, by the protocol in which an input can be closed alone (v5). */
import type { IncomingMessage } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';
import { ranksContainer } from '../../shared/lab/kubernetes-pod.ts';
import { phrase } from '../i18n/index.ts';
import { refusal, unreachable } from './api-errors.ts';
import type { PodProcess } from './contract.ts';
import { client } from './kubeconfig.ts';

const streams = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;
const protocol = 'v5.channel.k8s.io';
/** Milliseconds between questions whether the connection still stands. */
const pingEvery = 20_000;
/** Bytes in one message. */
const pieceBytes = 64 * 1024;
/** Characters of an answer that refuses the connection, and milliseconds for which it may pause. */
const longestRefusal = 16 * 1024;
const refusalMs = 5000;

const ExitStatus = z.object({
  status: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  details: z
    .object({
      causes: z
        .array(z.object({ reason: z.string().default(''), message: z.string().default('') }))
        .default([]),
    })
    .prefault({}),
});

/** The exit code in the last message; 126 where the command could not be started. */
function codeOf(data: Buffer, stderr: PassThrough): number {
  const { data: said } = ExitStatus.safeParse(parsed(data.toString('utf8')));
  if (said?.status === 'Success') return 0;
  const cause = said?.details.causes.find(({ reason }) => reason === 'ExitCode')?.message ?? '';
  if (/^\d{1,3}$/.test(cause)) return Number(cause);
  stderr.write(`${said?.message ?? 'no exit status'}\n`);
  return 126;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

interface Place {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
}

/** @param terminal its size, for a command that wants one */
export async function execInPod(
  config: KubeConfig,
  { cluster, namespace, pod }: Place,
  command: readonly string[],
  terminal: { readonly columns: number; readonly rows: number } | undefined,
  signal?: AbortSignal,
): Promise<PodProcess> {
  const [{ Exec }, { WebSocket }] = await Promise.all([client(), import('ws')]);
  const query = new URLSearchParams({ container: ranksContainer, stdin: 'true', stdout: 'true' });
  if (terminal === undefined) query.set('stderr', 'true');
  else query.set('tty', 'true');
  for (const word of command) query.append('command', word);

  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let code: number | undefined;
  /** Reads no further while a reader of the output is behind. */
  let hold: () => void = () => undefined;
  const show = (stream: PassThrough, data: Buffer): void => {
    if (!stream.destroyed && !stream.write(data)) hold();
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query.toString()}`;
  let refused: Refused | undefined;
  /** The handler's own sockets drop the body of such an answer. */
  const socketFactory = (...given: ConstructorParameters<typeof WebSocket>): WebSocket => {
    const opening = new WebSocket(...given);
    opening.once('unexpected-response', (_request, response) => {
      void refusedBy(response).then((said) => {
        refused = said;
        opening.terminate();
      });
    });
    return opening;
  };
  const socket = await Object.assign(new Exec(config).handler, { socketFactory })
    .connect(path, null, (stream, data) => {
      if (stream === streams.stdout) show(stdout, data);
      else if (stream === streams.stderr) show(stderr, data);
      else if (stream === streams.status) code = codeOf(data, stderr);
      return true;
    })
    .catch((error: unknown) => {
      throw refused === undefined
        ? unreachable(new Error(wordsOf(error)), cluster)
        : refusedError(refused, { cluster, namespace, pod });
    });
  hold = () => socket.pause();
  for (const stream of [stdout, stderr]) {
    stream.on('drain', () => socket.resume());
    stream.on('close', () => socket.resume());
  }
  if (socket.protocol !== protocol) {
    socket.terminate();
    throw new RinglabError(
      'pods_refused',
      { cluster, namespace, reason: phrase('reasons.kubernetes.oldExec') },
      { where: cluster },
    );
  }
  let isAlive = true;
  const pinging = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingEvery);
  pinging.unref();
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => (isAlive = true));
  const ended = new Promise<number | undefined>((resolve) => {
    socket.once('close', () => {
      clearInterval(pinging);
      stdout.end();
      stderr.end();
      resolve(code);
    });
  });
  socket.on('error', () => socket.terminate());
  const onAbort = (): void => socket.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  void ended.then(() => signal?.removeEventListener('abort', onAbort));

  const send = (stream: number, data: Uint8Array, done?: (error?: Error | null) => void): void => {
    if (socket.readyState !== socket.OPEN) {
      done?.();
      return;
    }
    // A command that has ended reads no more: that is no error of its input.
    socket.send(Buffer.concat([Buffer.of(stream), data]), () => done?.());
  };
  const resize: PodProcess['resize'] = ({ columns, rows }) =>
    send(streams.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  if (terminal !== undefined) resize(terminal);
  return {
    stdin: new Writable({
      write(chunk: Buffer, _encoding, done) {
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          const isLast = at + pieceBytes >= chunk.length;
          send(streams.stdin, chunk.subarray(at, at + pieceBytes), isLast ? done : undefined);
        }
        if (chunk.length === 0) done();
      },
      final(done) {
        send(streams.close, Buffer.of(streams.stdin), done);
      },
    }),
    stdout,
    stderr,
    ended,
    resize,
    close: () => socket.close(),
  };
}

/** An answer that is not a WebSocket. */
interface Refused {
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
}

const refusedBy = (answer: IncomingMessage): Promise<Refused> =>
  new Promise((resolve) => {
    let body = '';
    const done = (): void => resolve({ status: answer.statusCode ?? 0, body });
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      body += text;
      if (body.length > longestRefusal) done();
    });
    answer.once('close', done).once('error', done);
    answer.setTimeout(refusalMs, done);
  });

function refusedError({ status, body }: Refused, { cluster, namespace, pod }: Place): RinglabError {
  if (status === 404 || status === 400 || status === 409)
    return new RinglabError(
      'pod_gone',
      { pod, cluster },
      { where: cluster, detail: `HTTP ${status} ${body.trim().slice(0, 500)}` },
    );
  return refusal(status, parsed(body) ?? body, { cluster, namespace });
}

/** The handler rejects with an event of the socket. */
const wordsOf = (error: unknown): string =>
  z.object({ message: z.string() }).safeParse(error).data?.message ?? String(error);
