import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadPart } from './load-part.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tries again where a part does not arrive, and gives up with the last error', async () => {
  let tries = 0;
  const failing = (until: number) => (): Promise<number> => {
    tries += 1;
    return tries < until ? Promise.reject(new TypeError(`try ${tries}`)) : Promise.resolve(tries);
  };
  const third = loadPart(failing(3));
  await vi.runAllTimersAsync();
  expect(await third).toBe(3);
  tries = 0;
  const never = expect(loadPart(failing(100))).rejects.toThrow('try 4');
  await vi.runAllTimersAsync();
  await never;
});
