/** Opens a TCP connection, and converts the system's errors. */
import { connect, type Socket } from 'node:net';
import { RinglabError } from '../../../shared/base/errors.ts';
import { en, phrase } from '../../i18n/index.ts';

const codeOf = (error: unknown): string => {
  // Several addresses of one name, each with its own error (RFC 8305).
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
};

type Known = keyof typeof en.reasons.socket;
const isKnown = (code: string): code is Known => Object.hasOwn(en.reasons.socket, code);

function socketError(host: string, port: number, error: unknown): RinglabError {
  const code = codeOf(error);
  const options = { detail: error instanceof Error ? error.message : String(error), cause: error };
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return new RinglabError('host_not_found', { host }, options);
  if (code === 'ECONNREFUSED') return new RinglabError('host_refused', { host, port }, options);
  const reason = isKnown(code) ? phrase(`reasons.socket.${code}`) : code === '' ? options.detail : code;
  return new RinglabError('host_unreachable', { host, port, reason }, options);
}

/**
 * Rejects with `host_not_found`, `host_refused`, `host_unreachable` or `cancelled`.
 * @param timeoutMs of the TCP handshake
 */
export function openSocket(
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new RinglabError('cancelled'));
      return;
    }
    const socket = connect({
      ...{ host, port },
      // Small messages such as metrics must not be delayed (Nagle's algorithm).
      noDelay: true,
      // Node's 250 ms for each but the last address of a name (RFC 8305) end before a slow link answers.
      autoSelectFamilyAttemptTimeout: Math.floor(timeoutMs / 6),
    });
    const finish = (outcome: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      outcome();
    };
    const fail = (error: RinglabError): void =>
      finish(() => {
        socket.on('error', () => undefined);
        socket.destroy();
        reject(error);
      });
    const onAbort = (): void => fail(new RinglabError('cancelled'));
    const onError = (error: Error): void => fail(socketError(host, port, error));
    const timer = setTimeout(
      () =>
        fail(
          new RinglabError('host_unreachable', { host, port, reason: phrase('reasons.socket.ETIMEDOUT') }),
        ),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once('connect', () => finish(() => resolve(socket)));
  });
}
