import { expect, test } from 'vitest';
import { createLimit } from './limit.ts';
import { createOnce } from './once.ts';
import { createKeyedQueue, createSerialQueue } from './serial-queue.ts';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('at most the limit run at once, and all of them run', async () => {
  const limited = createLimit(16);
  let running = 0;
  let max = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 100 }, () =>
      limited(async () => {
        running += 1;
        max = Math.max(max, running);
        await soon();
        running -= 1;
        done += 1;
      }),
    ),
  );
  expect(max).toBe(16);
  expect(done).toBe(100);
});

test('a failed task releases its slot', async () => {
  const limited = createLimit(1);
  await expect(limited(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limited(() => Promise.resolve(7))).resolves.toBe(7);
});

test('tasks of one key run one at a time, in order, even after a failure', async () => {
  const turns = createKeyedQueue();
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    seen.push(`${name} begins`);
    await soon();
    seen.push(`${name} ends`);
    if (name === 'a') throw new Error(name);
  };
  await Promise.allSettled([turns('key', work('a')), turns('key', work('b')), turns('other', work('c'))]);
  expect(seen.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(seen.indexOf('c begins')).toBeLessThan(seen.indexOf('a ends'));
});

test('concurrent requests for the same work share it, and a failure only if it is final', async () => {
  const once = createOnce<number>((error) => error instanceof TypeError);
  let calls = 0;
  const work = (outcome: () => number) => async (): Promise<number> => {
    calls += 1;
    await soon();
    return outcome();
  };
  await expect(
    Promise.all([
      once(
        'k',
        work(() => 1),
      ),
      once(
        'k',
        work(() => 2),
      ),
    ]),
  ).resolves.toEqual([1, 1]);
  expect(calls).toBe(1);
  const fail = (error: Error) => (): number => {
    throw error;
  };
  const [first, second] = await Promise.allSettled([
    once('k', work(fail(new Error('cancelled')))),
    once(
      'k',
      work(() => 3),
    ),
  ]);
  expect([first.status, second]).toEqual(['rejected', { status: 'fulfilled', value: 3 }]);
  const both = await Promise.allSettled([
    once('k', work(fail(new TypeError('final')))),
    once(
      'k',
      work(() => 4),
    ),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a serial queue keeps the order, continues after a failure, and reports when it is empty', async () => {
  const inTurn = createSerialQueue();
  const seen: number[] = [];
  const failed = inTurn(() => Promise.reject(new Error('first')));
  const after = inTurn(async () => {
    await Promise.resolve();
    seen.push(1);
    return 'one';
  });
  void inTurn(() => Promise.resolve(seen.push(2)));
  const settled = inTurn.settled();
  await expect(failed).rejects.toThrow('first');
  await expect(after).resolves.toBe('one');
  await settled;
  expect(seen).toEqual([1, 2]);
});

test('queues of all keys are settled when the last has ended', async () => {
  const inTurn = createKeyedQueue();
  const ended: string[] = [];
  const end = (name: string) => async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    ended.push(name);
  };
  void inTurn('a', end('a1'));
  void inTurn('a', end('a2'));
  void inTurn('b', end('b1'));
  await inTurn.settled();
  expect(ended.sort()).toEqual(['a1', 'a2', 'b1']);
});
