/** Requests to a cluster's API server, with the credentials of a kubeconfig. */
import { request as overHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { createInterface } from 'node:readline';
import { RinglabError } from '../../shared/base/errors.ts';
import { WordedError } from '../base/reason.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { phrase } from '../i18n/index.ts';
import { noCredentials, refusal, unreachable } from './api-errors.ts';
import type { ApiRequest, KubernetesApi } from './contract.ts';
import { createCredentials, type Credentials } from './credentials.ts';
import { readLogin, withCredentials, type Login } from './kubeconfig.ts';
import { missingProgram } from './login-program.ts';
import { execInPod } from './pod-exec.ts';

/** Milliseconds for a whole answer, and for the head of a watch's. */
const answerMs = 20_000;
/** Milliseconds without a word after which a watch is over: the server ends it before (`watchSeconds`), unless it is not there any more. */
const watchMs = 75_000;
/** Milliseconds for a login program, which may wait for its user in a browser. */
const loginMs = 180_000;
const maxAnswerBytes = 64 * 1024 * 1024;
/** One object in a watch: the API server's own limit is 1.5 MiB. */
const maxLineBytes = 4 * 1024 * 1024;

/** Nothing has come for so long on a connection that still seems to stand. */
class Silence extends RinglabError {
  constructor(cluster: string, timeoutMs: number) {
    const reason = phrase('reasons.kubernetes.silent', { seconds: timeoutMs / 1000 });
    super('cluster_unreachable', { cluster, reason }, { where: cluster });
  }
}

/** @param limits milliseconds for a login program's answer, and of a watch without a word */
export function createApi(
  target: KubernetesTarget,
  home: string,
  limits: { readonly loginMs?: number; readonly watchMs?: number } = {},
): KubernetesApi {
  let reading: Promise<Login> | undefined;
  const credentials = createCredentials(limits.loginMs ?? loginMs);
  /** A login that was refused is read anew the next time. */
  const login = (): Promise<Login> => {
    reading ??= readLogin(target, home);
    reading.catch(() => (reading = undefined));
    return reading;
  };
  /** @param used what was refused; another request may have read a new one meanwhile */
  const forget = (error: RinglabError, used: Promise<Login>): RinglabError => {
    if (error.code === 'cluster_login' && reading === used) reading = undefined;
    return error;
  };
  const refused = async (status: number, body: unknown, used: Promise<Login>): Promise<RinglabError> => {
    const { name: cluster, namespace } = await used;
    return forget(refusal(status, body, { cluster, namespace }), used);
  };
  const credentialsOf = async (used: Promise<Login>, signal?: AbortSignal): Promise<Credentials> => {
    const known = await used;
    try {
      return await credentials(known, signal);
    } catch (error) {
      if (error instanceof RinglabError) throw error;
      throw forget(noCredentials(error, known.name, missingProgram(error, known.program?.exec)), used);
    }
  };

  /** Resolves with the head of the answer. Where no more of it comes, reading it fails with `Silence`. */
  const open = async (
    used: Promise<Login>,
    { method, path, query = {}, body, signal }: ApiRequest,
  ): Promise<IncomingMessage> => {
    const { name, server } = await used;
    const url = new URL(`${server}${path}?${new URLSearchParams(query).toString()}`);
    const options = await credentialsOf(used, signal);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all: RequestOptions = {
      ...options,
      method,
      headers: {
        ...options.headers,
        accept: 'application/json',
        ...(text === undefined
          ? {}
          : {
              'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            }),
      },
      timeout: answerMs,
      ...(signal === undefined ? {} : { signal }),
    };
    return await new Promise((resolve, reject) => {
      const sent = url.protocol === 'http:' ? overHttp(url, all) : overHttps(url, all);
      const fail = (error: unknown): void =>
        reject(signal?.aborted === true ? new RinglabError('cancelled') : unreachable(error, name));
      const early = (): void => void sent.destroy(new Silence(name, answerMs));
      sent.once('response', (answer: IncomingMessage) => {
        sent.off('timeout', early);
        sent.once('timeout', () => answer.destroy(new Silence(name, answerMs)));
        resolve(answer);
      });
      sent.on('error', fail);
      sent.once('timeout', early);
      sent.end(text);
    });
  };
  const whole = async (answer: IncomingMessage, signal: AbortSignal | undefined): Promise<unknown> => {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxAnswerBytes)
          throw new WordedError(phrase('reasons.longAnswer', { limit: maxAnswerBytes }));
        chunks.push(chunk);
      }
    } catch (error) {
      throw signal?.aborted === true
        ? new RinglabError('cancelled')
        : unreachable(error, (await login()).name);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  };
  const isGood = (status: number, expects: readonly number[] = []): boolean =>
    (status >= 200 && status < 300) || expects.includes(status);
  const request = async (used: Promise<Login>, what: ApiRequest) => {
    const answer = await open(used, what);
    const status = answer.statusCode ?? 0;
    const body = await whole(answer, what.signal);
    if (isGood(status, what.expects)) return { status, body };
    throw await refused(status, body, used);
  };

  return {
    name: async () => (await login()).name,
    namespace: async () => (await login()).namespace,
    async request(what) {
      const used = login();
      try {
        return await request(used, what);
      } catch (error) {
        // The token may have been renewed since the kubeconfig was read: once more with a new one.
        if (!(error instanceof RinglabError) || error.code !== 'cluster_login' || reading === used)
          throw error;
        return await request(login(), what);
      }
    },
    async lines({ path, query, signal }, take) {
      const used = login();
      const answer = await open(used, {
        ...{ method: 'GET', path, signal },
        ...(query === undefined ? {} : { query }),
      });
      const status = answer.statusCode ?? 0;
      if (!isGood(status)) throw await refused(status, await whole(answer, signal), used);
      answer.setTimeout(limits.watchMs ?? watchMs);
      let pending = 0;
      answer.on('data', (chunk: Buffer) => {
        const newline = chunk.lastIndexOf(0x0a);
        pending = newline < 0 ? pending + chunk.length : chunk.length - newline;
        if (pending > maxLineBytes)
          answer.destroy(new WordedError(phrase('reasons.longLine', { limit: maxLineBytes })));
      });
      try {
        const broken = new Promise<never>((_, reject) => answer.once('error', reject));
        broken.catch(() => undefined);
        const reader = createInterface({ input: answer, crlfDelay: Infinity });
        const read = async (): Promise<void> => {
          for await (const line of reader) if (line !== '') take(line);
        };
        await Promise.race([read(), broken]);
      } catch (error) {
        if (signal?.aborted === true) throw new RinglabError('cancelled');
        // After a computer's sleep, or where a VPN or a router has forgotten the connection: a new one shows whether there is more to it.
        if (error instanceof Silence) return;
        throw unreachable(error, (await used).name);
      }
    },
    async exec(pod, command, terminal, signal) {
      const used = login();
      const { config, name, namespace } = await used;
      const ready = await withCredentials(config, await credentialsOf(used, signal));
      try {
        return await execInPod(ready, { cluster: name, namespace, pod }, command, terminal, signal);
      } catch (error) {
        throw error instanceof RinglabError ? forget(error, used) : unreachable(error, name);
      }
    },
  };
}
