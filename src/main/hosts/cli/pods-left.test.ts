import { describe, expect, it } from 'vitest';
import { untilPodsAreLeft } from './pods-left.ts';

interface Wait {
  readonly waited: Promise<void>;
  readonly said: string[];
  /** Whether a window may have the data folder. */
  allowed(): boolean;
  release(): void;
  leave(): void;
}

function wait(): Wait {
  const pods = Promise.withResolvers<undefined>();
  const folder = Promise.withResolvers<never>();
  folder.promise.catch(() => undefined);
  const said: string[] = [];
  let may = false;
  const leaving = { allow: (now: boolean) => void (may = now), left: folder.promise };
  const waited = untilPodsAreLeft({ leftPods: () => pods.promise }, leaving, (text) => said.push(text));
  return {
    waited,
    said,
    allowed: () => may,
    release: () => pods.resolve(undefined),
    leave: () => folder.reject(new Error('a window')),
  };
}

describe('a command whose app closes', () => {
  it('says nothing where no pod waits', async () => {
    const { waited, said, release } = wait();
    release();
    await waited;
    expect(said).toEqual([]);
  });

  it('waits for checkpoints in pods, and says so', async () => {
    const { waited, said, release } = wait();
    await expect.poll(() => said).toHaveLength(1);
    release();
    await waited;
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends the wait, and is handled no longer', async (signal) => {
    const before = process.listenerCount(signal);
    const { waited, said } = wait();
    await expect.poll(() => said).toHaveLength(1);
    process.emit(signal, signal);
    await waited;
    expect(process.listenerCount(signal)).toBe(before);
  });

  it('leaves them to a window that opens meanwhile', async () => {
    const { waited, allowed, leave } = wait();
    await expect.poll(allowed).toBe(true);
    leave();
    await waited;
  });
});
