/** Limits concurrent logins to an address. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { jumpHosts } from '../../../shared/lab/access.ts';
import { throwIfAborted } from '../../base/abort.ts';
import type { SshHop } from '../contract.ts';

export interface LoginQueue {
  /** Calls `work` when it is its turn at this address; rejects with `cancelled` on abort while waiting. */
  take<T>(address: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/**
 * The machine that is logged in to. Behind other jump hosts the same address is another machine; and a machine that does not
 * answer must not keep others behind its jump host waiting, to which there is one connection for all.
 */
export const loginAddress = (hop: SshHop): string =>
  [...jumpHosts<SshHop>(hop), hop].map(({ host, port }) => `${host}:${port}`).join(' ');

export function createLoginQueue(atOnce: number): LoginQueue {
  const busy = new Map<string, { active: number; waiting: (() => void)[] }>();

  const turn = (address: string, signal: AbortSignal): Promise<void> => {
    const line = busy.get(address) ?? { active: 0, waiting: [] };
    busy.set(address, line);
    if (line.active < atOnce) {
      line.active += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        line.waiting.splice(line.waiting.indexOf(go), 1);
        reject(new RinglabError('cancelled'));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      line.waiting.push(go);
    });
  };
  const leave = (address: string): void => {
    const line = busy.get(address);
    if (line === undefined) return;
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else {
      line.active -= 1;
      if (line.active === 0) busy.delete(address);
    }
  };

  return {
    async take(address, signal, work) {
      throwIfAborted(signal);
      await turn(address, signal);
      try {
        return await work();
      } finally {
        leave(address);
      }
    },
  };
}
