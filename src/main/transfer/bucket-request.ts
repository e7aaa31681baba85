/** One request to a bucket's service, through this computer's own proxy where it has one. */
import { request as requestHttp, type Agent, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ownProxyFor, type Protocol } from '../base/proxy-variables.ts';
import { WordedError } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import { trustSystemStore } from './own-certificates.ts';
import { agentThrough } from './own-proxy.ts';

/** A page has at most a thousand objects with names of at most a kilobyte. */
const maxAnswerBytes = 16 * 1024 ** 2;

export interface BucketAnswer {
  readonly status: number;
  /** Undefined where it is not sent. */
  header(name: string): string | undefined;
  /** Rejects where the answer is larger than that of any such service. To be called unless the method is HEAD. */
  text(): Promise<string>;
}

export type AskService = (
  url: URL,
  method: string,
  headers: Iterable<[string, string]>,
  signal: AbortSignal,
) => Promise<BucketAnswer>;

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Without an encoding an answer's pieces are Buffers.
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxAnswerBytes)
      throw new WordedError(phrase('reasons.longAnswer', { limit: maxAnswerBytes }));
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** For requests to one service. Redirects are not followed: one to another region would get a signature that is invalid there. */
export function serviceAsker(base: URL): AskService {
  const protocol: Protocol = base.protocol === 'https:' ? 'https:' : 'http:';
  const port = base.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(base.port);
  let agent: Agent | undefined;
  return (url, method, headers, signal) => {
    if (protocol === 'https:') trustSystemStore();
    agent ??= agentThrough(ownProxyFor(protocol, base.hostname, port), protocol, true);
    const options = {
      method,
      agent,
      signal,
      headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
    };
    return new Promise((resolve, reject) => {
      const asked = (protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
        // Without a reader the connection would not be free for the next request.
        if (method === 'HEAD') answer.resume();
        resolve({
          status: answer.statusCode ?? 0,
          header: (name) => {
            const value = answer.headers[name];
            return Array.isArray(value) ? value.join(', ') : value;
          },
          text: () => textOf(answer),
        });
      });
      asked.on('error', reject);
      asked.end();
    });
  };
}
