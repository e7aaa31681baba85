/** docs/slow-links.md and the accuracies that the window and the command line show. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measuredAccuracies } from '../../../shared/cost/accuracy-cost.ts';

const document = readFileSync(resolve(import.meta.dirname, '../../../../docs/slow-links.md'), 'utf8');

/** The table that begins below a line with that text. */
function table(above: string): string[] {
  const lines = document.slice(document.indexOf(above)).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(first);
  return rows.slice(
    0,
    rows.findIndex((line) => !line.startsWith('|')),
  );
}

describe('a measured accuracy', () => {
  it.each(measuredAccuracies)(
    '$sync, $task: is what the document says',
    ({ sync, task, seeds, plain, own }) => {
      const onHard = seeds === 3 ? 'Three seeds of them' : 'The harder shapes';
      const rows = table(task === 'hard' ? onHard : 'Final top-1 after 16 epochs');
      const last = (mode: string): string | undefined =>
        rows
          .find((row) => row.startsWith(`| \`${mode}\``))
          ?.match(/\d+\.\d(?= %)/g)
          ?.at(-1);
      expect(Number(last('allreduce'))).toBe(plain);
      expect(Number(last(sync))).toBe(own);
    },
  );
});
