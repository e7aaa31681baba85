import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { ClosingAnswer } from '../../app/closing.ts';
import { closingQuestion } from './closing-question.ts';

async function answering(keys: string): Promise<ClosingAnswer> {
  const input = new PassThrough();
  const shown = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const answer = closingQuestion(input)([]);
    input.write(keys);
    return await answer;
  } finally {
    shown.mockRestore();
  }
}

it('takes the letter of an answer, and else the first', async () => {
  expect(await answering('s\n')).toBe('stop');
  expect(await answering('Cancel\n')).toBe('stay');
  for (const keys of ['k\n', '\n', 'what?\n']) expect(await answering(keys)).toBe('keep');
});

it('leaves runs running on Ctrl+C and on Ctrl+D, and does not fail', async () => {
  expect(await answering('\x03')).toBe('keep');
  expect(await answering('\x04')).toBe('keep');
});
