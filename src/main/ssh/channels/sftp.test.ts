import { expect, it } from 'vitest';
import { inFlight, inParallel } from './sftp.ts';

/** Answers requests one after the other, each so long after the one before; returns what each waited, and how many did at most. */
async function transfer(requests: number, eachMs: number): Promise<{ waits: number[]; most: number }> {
  let now = 0;
  let most = 0;
  const waits: number[] = [];
  const line: (() => void)[] = [];
  const request = async (): Promise<void> => {
    const asked = now;
    await new Promise<void>((answered) => {
      line.push(answered);
      most = Math.max(most, line.length);
    });
    waits.push(now - asked);
  };
  const work = inParallel(
    async (push) => {
      for (let sent = 0; sent < requests; sent += 1) await push(request);
    },
    () => now,
  );
  while (waits.length < requests) {
    // All that can be sent is sent before the next answer.
    await new Promise((resolve) => setImmediate(resolve));
    now += eachMs;
    line.shift()?.();
  }
  await work;
  return { waits, most };
}

it('keeps as many requests under way as are answered within ten seconds, whatever the link', async () => {
  const slow = await transfer(100, 1500);
  expect(Math.max(...slow.waits)).toBeLessThanOrEqual(15_000);
  const quick = await transfer(300, 1);
  expect(quick.most).toBe(inFlight);
  const slowest = await transfer(20, 30_000);
  // Eight before the first answer, then one.
  expect(slowest.waits.slice(8)).toEqual(Array.from({ length: 12 }, () => 30_000));
});
