import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { isCancelled } from '../../../shared/base/errors.ts';
import { Interrupted, terminalAsker } from './terminal-prompts.ts';

const keys = { ctrlC: '\x03', ctrlD: '\x04' };
const typed = async (text: string, hidden: boolean): Promise<unknown> => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const answered = terminalAsker(input)?.ask('', hidden);
  input.write(text);
  return await answered?.catch((error: unknown) => error);
};

it.each([true, false])('a question (hidden: %s) has a line for its answer', async (hidden) => {
  expect(await typed('secret\r', hidden)).toBe('secret');
});

it.each([true, false])(
  'Ctrl+C and Ctrl+D at a question (hidden: %s) give it up, and differ',
  async (hidden) => {
    for (const [key, isInterrupt] of [
      [keys.ctrlC, true],
      [keys.ctrlD, false],
    ] as const) {
      const error = await typed(`abc${isInterrupt ? '' : '\x15'}${key}`, hidden);
      expect(isCancelled(error)).toBe(true);
      expect(error instanceof Interrupted).toBe(isInterrupt);
    }
  },
);

it('without a terminal nothing is asked', () => {
  expect(terminalAsker(new PassThrough())).toBeUndefined();
});
