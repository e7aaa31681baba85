/** Asks for a kubeconfig's credentials: once for all who wait for them, since they may come from a program that takes its time. */
import type { RequestOptions } from 'node:https';
import { RinglabError } from '../../shared/base/errors.ts';
import { unlessAborted } from '../base/abort.ts';
import { phrase } from '../i18n/index.ts';
import type { Login } from './kubeconfig.ts';
import { holdProgram } from './login-program.ts';

/** Milliseconds for which they are used: a program whose token has no end is not started for each request. */
const keepMs = 10_000;

export type Credentials = Omit<RequestOptions, 'headers'> & { headers?: Record<string, string | string[]> };

async function ask({ config, program, headers, name }: Login, timeoutMs: number): Promise<Credentials> {
  const options: Credentials = {};
  let timer: NodeJS.Timeout | undefined;
  const endProgram = holdProgram(config, program?.info);
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      endProgram();
      const reason = phrase('reasons.kubernetes.silentLogin', { seconds: timeoutMs / 1000 });
      reject(new RinglabError('cluster_login', { cluster: name, reason }, { where: name }));
    }, timeoutMs);
  });
  try {
    await Promise.race([config.applyToHTTPSOptions(options), silent]);
    return { ...options, headers: { ...options.headers, ...headers } };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param timeoutMs milliseconds for an answer: a program may wait for its user in a browser
 * @returns rejects with the provider's error, with `cluster_login` where it does not answer, and with `cancelled`
 */
export function createCredentials(
  timeoutMs: number,
): (login: Login, signal: AbortSignal | undefined) => Promise<Credentials> {
  let known: { readonly login: Login; readonly given: Promise<Credentials>; until: number } | undefined;
  return (login, signal) => {
    // Another login is one that was read again, since the server refused these.
    if (known?.login !== login || performance.now() > known.until) {
      const asked = { login, given: ask(login, timeoutMs), until: Infinity };
      known = asked;
      asked.given.then(
        () => (asked.until = performance.now() + keepMs),
        () => (asked.until = -Infinity),
      );
    }
    return unlessAborted(known.given, signal);
  };
}
