/** The two HTTP requests before a page connects: exchange a code for a session, and get the host's proof. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ChallengeRequest, ExchangeRequest, sessionPaths } from '../../../shared/contract/web-session.ts';
import { sameText, type Codes } from './codes.ts';
import type { Sessions } from './sessions.ts';
import { securityHeaders } from './static-files.ts';

const maxBodyBytes = 2048;
/**
 * Maximum number of wrong codes and unknown sessions in a minute that get an explained refusal. Valid requests are always
 * answered.
 */
const maxRefusals = 20;
const refusalsMs = 60_000;
/** Maximum number of cookies from other starts; the oldest are expired. */
const maxCookies = 16;

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Browsers send cookies to every port of a host: the name includes the port. */
export const cookieFor = (port: number, secret: string): Cookie => ({
  name: `ringlab-${port}`,
  value: secret,
});

const cookiesOf = (header: string | undefined): [name: string, value: string][] =>
  (header ?? '').split(';').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });

export const hasCookie = (header: string | undefined, { name, value }: Cookie): boolean =>
  cookiesOf(header).some(([found, its]) => found === name && sameText(its, value));

const attributes = `Path=${sessionPaths.exchange}; HttpOnly; SameSite=Strict`;

export interface EntryOptions {
  readonly codes: Codes;
  readonly sessions: Sessions;
  readonly cookie: Cookie;
  readonly now: () => number;
  /** A code was exchanged. */
  onEntered(code: string): void;
  onRefused(error: RinglabError): void;
}

export interface Entry {
  /** Answers a POST whose Host and Origin have been checked. */
  serve(path: string, origin: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createEntry({ codes, sessions, cookie, now, onEntered, onRefused }: EntryOptions): Entry {
  let refusals: number[] = [];

  const answer = (response: ServerResponse, status: number, value: unknown, cookies: string[] = []): void => {
    response.writeHead(status, {
      ...securityHeaders,
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(cookies.length === 0 ? {} : { 'Set-Cookie': cookies }),
    });
    response.end(JSON.stringify(value));
  };
  const refuse = (response: ServerResponse): void => {
    refusals = refusals.filter((at) => at > now() - refusalsMs);
    if (refusals.length >= maxRefusals) {
      answer(response, 429, {});
      return;
    }
    refusals.push(now());
    onRefused(new RinglabError('token_refused'));
    answer(response, 401, {});
  };
  return {
    async serve(path, origin, request, response) {
      if (path === sessionPaths.exchange) {
        const asked = await readBody(request, ExchangeRequest);
        if (asked === undefined || !codes.take(asked.code, asked.tab)) {
          refuse(response);
          return;
        }
        const old = cookiesOf(request.headers.cookie)
          .map(([name]) => name)
          .filter((name) => /^ringlab-\d{1,5}$/.test(name) && name !== cookie.name);
        answer(response, 200, sessions.start(origin), [
          `${cookie.name}=${cookie.value}; ${attributes}`,
          ...old
            .slice(0, Math.max(0, old.length - maxCookies))
            .map((name) => `${name}=; ${attributes}; Max-Age=0`),
        ]);
        onEntered(asked.code);
        return;
      }
      const asked = await readBody(request, ChallengeRequest);
      const proof = asked === undefined ? undefined : sessions.challenge(asked.session, origin, asked.nonce);
      if (proof === undefined) refuse(response);
      else answer(response, 200, proof);
    },
  };
}

/** Undefined where the body is too large or invalid. */
async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T | undefined> {
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  // Without an encoding a request's parts are Buffers.
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes) return undefined;
    parts.push(part);
  }
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.concat(parts).toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
