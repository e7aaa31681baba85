/** Of a real store: which points count depends on how it places lines along an axis. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { openStore, type Store } from '../../store/index.ts';
import { readScalarValues } from './scalar-values.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-values-'));
  ({ store } = await openStore(folder));
  await store.saveRun(runRecord('r'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function valuesOf(lines: readonly { kind?: string; step?: number; loss?: number }[]) {
  const text = lines.map(({ kind = 'scalar', loss, ...more }, seq) =>
    JSON.stringify({
      v: 1,
      seq,
      t: 1_700_000_000 + seq,
      kind,
      ...more,
      ...(loss === undefined ? {} : { values: { loss } }),
    }),
  );
  await store.append({ runId: 'r', source: 'rank-0', offset: 0, bytes: Buffer.from(`${text.join('\n')}\n`) });
  const [found] = await readScalarValues(store, ['r'], ['loss']);
  return found?.values.loss;
}

describe('a script’s scalar as one number', () => {
  it('counts the points without a step where most have none', async () => {
    const printed = Array.from({ length: 20 }, (_, n) => ({ loss: 5 - n / 5 }));
    const lines = [...printed.slice(0, 10), { step: 7, loss: 9 }, ...printed.slice(10)];
    expect(await valuesOf(lines)).toEqual({ final: 5 - 19 / 5, lowest: 5 - 19 / 5, highest: 9 });
  });

  it('ends with the value that was logged last, though its step is one of an epoch', async () => {
    const lines = Array.from({ length: 250 }, (_, n) => ({ step: n % 100, loss: 10 - n / 50 }));
    expect(await valuesOf(lines)).toEqual({ final: 10 - 249 / 50, lowest: 10 - 249 / 50, highest: 10 });
  });

  it('counts no work that a resume discarded', async () => {
    const first = Array.from({ length: 30 }, (_, n) => ({ step: n, loss: n < 20 ? 5 : 0.1 }));
    const again = Array.from({ length: 5 }, (_, n) => ({ step: 20 + n, loss: 4 - n / 10 }));
    const values = await valuesOf([...first, { kind: 'collect_end' }, ...again]);
    expect(values).toEqual({ final: 3.6, lowest: 3.6, highest: 5 });
  });
});
