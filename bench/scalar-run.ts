/** Stores the scalars of a script's run as event files give them: a line for each value, all names by turns. */
import type { Store } from '../src/main/store/index.ts';

const linesPerChunk = 5000;
const groups = 20;

/** The name of the scalar with this number. */
export const scalarOf = (number: number): string => `group${number % groups}/value ${number}`;

/** @param points values of all names together */
export async function storeScalars(
  store: Store,
  runId: string,
  { names, points, start }: { readonly names: number; readonly points: number; readonly start: number },
): Promise<void> {
  let offset = await store.offset(runId, 'rank-0');
  for (let first = 0; first < points; first += linesPerChunk) {
    const lines = Array.from({ length: Math.min(linesPerChunk, points - first) }, (_, k) => {
      const seq = first + k;
      const step = Math.floor(seq / names);
      const number = seq % names;
      const values = { [scalarOf(number)]: Math.sin(step / 50 + number) + 2 };
      return JSON.stringify({
        v: 1,
        seq,
        t: start + seq / names,
        kind: 'scalar',
        from: 'tensorboard',
        step,
        values,
      });
    });
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    offset = (await store.append({ runId, source: 'rank-0', offset, bytes })).nextOffset;
  }
}
