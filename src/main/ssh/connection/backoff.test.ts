import { describe, expect, it } from 'vitest';
import { RinglabError, type ErrorCode } from '../../../shared/base/errors.ts';
import { backoffMs, isPassing, withReconnect } from './backoff.ts';
import { systemClock, type Clock } from '../../base/clock.ts';

const testClock = (): Clock & { waits: number[]; at: number } => {
  const clock = {
    ...systemClock,
    waits: [] as number[],
    at: 0,
    now: () => clock.at,
    random: () => 0.5,
    sleep: (ms: number, signal?: AbortSignal) => {
      if (signal?.aborted === true) return Promise.reject(new RinglabError('cancelled'));
      clock.waits.push(ms);
      clock.at += ms;
      return Promise.resolve();
    },
  };
  return clock;
};
const lost = (): RinglabError => new RinglabError('connection_lost', { host: 'node' });

describe('reconnecting', () => {
  it('waits longer and longer, but never longer than the longest', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 30, 2000].map((failures) =>
      backoffMs(failures, { firstMs: 1000, longestMs: 30_000 }, 0.5),
    );
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(backoffMs(1, { firstMs: 1000, longestMs: 30_000 }, 0)).toBe(800);
    expect(backoffMs(1, { firstMs: 1000, longestMs: 30_000 }, 0.999)).toBeLessThanOrEqual(1200);
  });

  it('does the work again until it is done, with a session made anew each time', async () => {
    const clock = testClock();
    let connected = 0;
    const told: number[] = [];
    const result = await withReconnect(
      () => Promise.resolve((connected += 1)),
      (session) => (session < 4 ? Promise.reject(lost()) : Promise.resolve(`done over ${session}`)),
      { clock, onWait: (_error, ms) => told.push(ms) },
    );
    expect(result).toBe('done over 4');
    expect(clock.waits).toEqual([1000, 2000, 4000]);
    expect(told).toEqual(clock.waits);
  });

  it('begins with short waits again after a connection that held', async () => {
    const clock = testClock();
    let tries = 0;
    await withReconnect(
      () => Promise.resolve(),
      () => {
        tries += 1;
        if (tries === 3) clock.at += 3_600_000;
        return tries < 5 ? Promise.reject(lost()) : Promise.resolve();
      },
      { clock },
    );
    expect(clock.waits).toEqual([1000, 2000, 1000, 2000]);
  });

  it.each<ErrorCode>([
    'auth_failed',
    'host_key_changed',
    'host_key_unknown',
    'key_passphrase',
    'command_failed',
    'cancelled',
  ])('fault 08: never tries again by itself after %s', async (code) => {
    const clock = testClock();
    let tries = 0;
    const work = withReconnect(
      () => {
        tries += 1;
        return Promise.reject(new RinglabError(code));
      },
      () => Promise.resolve(),
      { clock },
    );
    await expect(work).rejects.toMatchObject({ code });
    expect(tries).toBe(1);
  });

  it('ends when it is cancelled', async () => {
    const clock = testClock();
    const stopping = new AbortController();
    const work = withReconnect(
      () => Promise.reject(lost()),
      () => Promise.resolve(),
      { clock, signal: stopping.signal, onWait: () => clock.waits.length === 2 && stopping.abort() },
    );
    await expect(work).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('takes a jump host’s trouble for what it is', () => {
    const jump = (cause: RinglabError): RinglabError =>
      new RinglabError('jump_failed', { hop: 'a' }, { cause });
    expect(isPassing(jump(lost()))).toBe(true);
    expect(isPassing(jump(new RinglabError('auth_failed')))).toBe(false);
    expect(isPassing(new Error('a bug'))).toBe(false);
  });
});
