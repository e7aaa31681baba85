/**
 * Who may talk to the web host. A server on the loopback is not safe by being there: any page in the same browser can
 * send requests to it (DNS rebinding, cross-site WebSockets). So: exact Host and Origin, and a random token.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { RinglabError } from '../../../shared/errors.ts';

export interface Guard {
  readonly token: string;
  /** Throws `origin_refused` unless Host is exactly ours, and Origin, where there is one, too. */
  checkPlace(headers: { host?: string | undefined; origin?: string | undefined }): void;
  /** Throws `token_refused`. */
  checkToken(token: string | undefined): void;
}

/**
 * The token lies in the data folder, readable by its owner alone, so that a tab left open finds the app again after a
 * restart.
 */
export async function loadToken(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (/^[\w-]{43}$/.test(kept)) return kept;
  const token = randomBytes(32).toString('base64url');
  await writeFile(path, token, { mode: 0o600 });
  return token;
}

/**
 * @param port the port that is listened on
 * @param extraOrigins exact origins allowed beside our own: the dev server's
 */
export function createGuard(port: number, token: string, extraOrigins: readonly string[] = []): Guard {
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const origins = new Set([...[...hosts].map((host) => `http://${host}`), ...extraOrigins]);
  for (const origin of extraOrigins) hosts.add(new URL(origin).host);
  return {
    token,
    checkPlace({ host, origin }) {
      if (host === undefined || !hosts.has(host))
        throw new RinglabError('origin_refused', { origin: host ?? '' });
      if (origin !== undefined && !origins.has(origin)) throw new RinglabError('origin_refused', { origin });
    },
    checkToken(offered) {
      const ours = Buffer.from(token);
      const theirs = Buffer.from(offered ?? '');
      if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs))
        throw new RinglabError('token_refused');
    },
  };
}
