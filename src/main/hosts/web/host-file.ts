/**
 * The host file: how the same user's `ringlab open` finds the web host of a data folder, and creates codes for it.
 * Readable by its owner only, created at each start, removed at its end.
 */
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ChallengeAnswer, sessionPaths } from '../../../shared/contract/web-session.ts';
import { makeCode, printedCodeMs, sameText } from './codes.ts';
import { writePrivate } from './private-file.ts';
import { fileSession, newSecret, signStatement } from './sessions.ts';

const HostFile = z.object({
  version: z.literal(1),
  port: z.number().int().min(1).max(65_535),
  origin: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  key: z.string().regex(/^[\w-]{43}$/),
});
export type HostFile = z.infer<typeof HostFile>;

const pathOf = (dataFolder: string): string => join(dataFolder, 'web-host.json');

/** Rejects with `local_disk_full` or `file_unwritable`. */
export const writeHostFile = (dataFolder: string, file: HostFile): Promise<void> =>
  writePrivate(pathOf(dataFolder), `${JSON.stringify(file)}\n`);

/** Removes the file only if it belongs to this start. */
export async function removeHostFile(dataFolder: string, key: string): Promise<void> {
  const found = await readHostFile(dataFolder);
  if (found?.key === key) await rm(pathOf(dataFolder), { force: true });
}

async function readHostFile(dataFolder: string): Promise<HostFile | undefined> {
  const text = await readFile(pathOf(dataFolder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return HostFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** An address that opens the window once. The secret is in the fragment, which browsers do not send. */
export const addressFor = (
  { origin, key }: Pick<HostFile, 'origin' | 'key'>,
  lifetimeMs = printedCodeMs,
): string => `${origin}/#code=${makeCode(key, origin, lifetimeMs)}`;

/**
 * The running host of this data folder. Rejects with `web_not_running` where there is none, and with `web_stranger`
 * where another program has its port: the host file is then a stale one.
 */
export async function findHost(dataFolder: string): Promise<HostFile> {
  const file = await readHostFile(dataFolder);
  if (file === undefined) throw new RinglabError('web_not_running', { path: dataFolder });
  const pageNonce = newSecret(24);
  const answer = await post(file, JSON.stringify({ session: fileSession, nonce: pageNonce })).catch(
    (cause: unknown) => {
      throw new RinglabError('web_not_running', { path: dataFolder }, { cause });
    },
  );
  const handshake = { origin: file.origin, session: fileSession, pageNonce, hostNonce: answer?.nonce ?? '' };
  if (answer === undefined || !sameText(answer.proof, signStatement(file.key, 'host', handshake)))
    throw new RinglabError('web_stranger', { origin: `127.0.0.1:${file.port}` });
  return file;
}

const maxAnswerBytes = 4096;

/** Undefined where the server is not the web host. */
function post(
  { port, origin }: HostFile,
  body: string,
): Promise<z.infer<typeof ChallengeAnswer> | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: sessionPaths.challenge,
        method: 'POST',
        headers: { Host: new URL(origin).host, Origin: origin, 'Content-Type': 'application/json' },
        timeout: 5000,
        // Node's own may go through a proxy (NODE_USE_ENV_PROXY).
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > maxAnswerBytes) {
            resolve(undefined);
            asked.destroy();
          }
        });
        response.once('error', reject);
        response.once('end', () => {
          try {
            resolve(ChallengeAnswer.parse(JSON.parse(text)));
          } catch {
            resolve(undefined);
          }
        });
      },
    );
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', reject);
    asked.end(body);
  });
}
