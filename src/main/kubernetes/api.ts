/** Requests to a cluster's API server, with the credentials of a kubeconfig. */
import { request as overHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as overHttps, type RequestOptions as HttpsOptions } from 'node:https';
import { createInterface } from 'node:readline';
import { RinglabError } from '../../shared/base/errors.ts';
import { WordedError } from '../base/reason.ts';
import { clusterName } from '../../shared/lab/where.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { phrase } from '../i18n/index.ts';
import { noCredentials, refusal, unreachable } from './api-errors.ts';
import type { ApiRequest, KubernetesApi } from './contract.ts';
import { readLogin, type Login } from './kubeconfig.ts';
import { execInPod } from './pod-exec.ts';

/** Milliseconds for a whole answer, and until a watch says anything: the server ends it before, or sends a bookmark. */
const answerMs = 20_000;
const watchMs = 400_000;
const maxAnswerBytes = 64 * 1024 * 1024;
/** One object in a watch: the API server's own limit is 1.5 MiB. */
const maxLineBytes = 4 * 1024 * 1024;

export function createApi(target: KubernetesTarget, home: string): KubernetesApi {
  let reading: Promise<Login> | undefined;
  /** A login that was refused is read anew the next time. */
  const login = (): Promise<Login> => {
    reading ??= readLogin(target, home);
    reading.catch(() => (reading = undefined));
    return reading;
  };
  const forget = (error: RinglabError): RinglabError => {
    if (error.code === 'cluster_login') reading = undefined;
    return error;
  };
  const asked = async () => {
    const { name: cluster, namespace } = await login();
    return { cluster, namespace };
  };

  /** Resolves with the head of the answer. */
  const open = async (
    { method, path, query = {}, body, signal }: ApiRequest,
    timeoutMs: number,
  ): Promise<IncomingMessage> => {
    const { config, name, server } = await login();
    const url = new URL(`${server}${path}?${new URLSearchParams(query).toString()}`);
    const options: Omit<HttpsOptions, 'headers'> & { headers?: Record<string, string> } = {};
    await config.applyToHTTPSOptions(options).catch((error: unknown) => {
      throw forget(noCredentials(error, name));
    });
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
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    };
    return await new Promise((resolve, reject) => {
      const sent =
        url.protocol === 'http:' ? overHttp(url, { ...all, agent: undefined }) : overHttps(url, all);
      const fail = (error: unknown): void =>
        reject(signal?.aborted === true ? new RinglabError('cancelled') : unreachable(error, name));
      sent.once('response', resolve);
      sent.on('error', fail);
      sent.once('timeout', () => {
        const reason = phrase('reasons.kubernetes.silent', { seconds: timeoutMs / 1000 });
        sent.destroy(new RinglabError('cluster_unreachable', { cluster: name, reason }, { where: name }));
      });
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
  const request: KubernetesApi['request'] = async (what) => {
    const answer = await open(what, answerMs);
    const status = answer.statusCode ?? 0;
    const body = await whole(answer, what.signal);
    if (isGood(status, what.expects)) return { status, body };
    throw forget(refusal(status, body, await asked()));
  };

  return {
    name: async () => (await login()).name,
    namespace: async () => (await login()).namespace,
    async request(what) {
      try {
        return await request(what);
      } catch (error) {
        // The token may have been renewed since the kubeconfig was read: once more with a new one.
        if (!(error instanceof RinglabError) || error.code !== 'cluster_login') throw error;
        return await request(what);
      }
    },
    async lines({ path, query, signal }, take) {
      const answer = await open(
        { method: 'GET', path, ...(query === undefined ? {} : { query }), signal },
        watchMs,
      );
      const status = answer.statusCode ?? 0;
      if (!isGood(status)) throw forget(refusal(status, await whole(answer, signal), await asked()));
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
        throw unreachable(error, clusterName(target));
      }
    },
    async exec(pod, command, terminal, signal) {
      const { config, name, namespace } = await login();
      try {
        return await execInPod(config, { cluster: name, namespace, pod }, command, terminal, signal);
      } catch (error) {
        throw error instanceof RinglabError ? forget(error) : unreachable(error, name);
      }
    },
  };
}
