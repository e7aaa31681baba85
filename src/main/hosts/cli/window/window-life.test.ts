import { expect, it } from 'vitest';
import { lastWindowClosed } from './window-life.ts';

/** @param windows connected pages, second by second; the last number stays */
async function life(
  windows: readonly number[],
  { running = (_second: number): boolean => false, opensWithin = undefined as number | undefined } = {},
): Promise<{ seconds: number; left: number[] }> {
  let seconds = 0;
  const left: number[] = [];
  const ended = lastWindowClosed({
    windows: () => windows[Math.min(seconds, windows.length) - 1] ?? 0,
    isRunning: () => Promise.resolve(running(seconds)),
    second: () => {
      seconds += 1;
      return seconds > 1000 ? Promise.reject(new Error('never')) : Promise.resolve();
    },
    onLeftRunning: () => left.push(seconds),
    opensWithin,
  });
  await ended;
  return { seconds, left };
}

it('ends a while after the last window has closed', async () => {
  expect(await life([0, 1, 2, 1, 0])).toEqual({ seconds: 19, left: [] });
});

it('goes on while a page is reloaded', async () => {
  const reload = [1, ...Array<number>(14).fill(0), 1, 0];
  expect((await life(reload)).seconds).toBe(31);
});

it('follows a run to its end, says so once, and ends then', async () => {
  expect(await life([1, 0], { running: (second) => second < 100 })).toEqual({ seconds: 100, left: [16] });
});

it('says it again where a window was open meanwhile', async () => {
  const again = [1, ...Array<number>(20).fill(0), 1, 0];
  expect((await life(again, { running: (second) => second < 60 })).left).toEqual([16, 37]);
});

it('waits for the first window: at a terminal as long as it takes', async () => {
  expect((await life([0], { opensWithin: 120 })).seconds).toBe(120);
  await expect(life([0])).rejects.toThrow('never');
});
