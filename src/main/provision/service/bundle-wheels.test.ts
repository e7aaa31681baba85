/** Tests that a bundle's wheels are what the index itself has, whatever the node that was asked says. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { plainWheel, startIndex, type SmallIndex } from '../../transfer/testing/small-index.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { createBundleStore } from '../bundle/store.ts';
import type { Step } from '../engine/step.ts';
import type { SolvedWheel, WheelsSource } from '../runtime/index.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { addWheels } from './bundle-wheels.ts';

let folder = '';
let store: BundleStore;
let index: SmallIndex;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-bundle-wheels-'));
  store = createBundleStore(join(folder, 'bundle'), { allows: () => true });
  index = await startIndex([plainWheel('tidy', '1.0')]);
});
afterEach(async () => {
  await index.close();
  rmSync(folder, { recursive: true, force: true });
});

const tidy: SolvedWheel = { name: 'tidy', version: '1.0', file: 'tidy-1.0-py3-none-any.whl' };

/** Adds what a node has answered. Resolves with the error. */
async function add(wheels: readonly SolvedWheel[], indexes = [index.index]): Promise<unknown> {
  writeFileSync(join(folder, 'uv'), 'uv');
  const source: WheelsSource = {
    bringsImages: false,
    find: () => Promise.resolve(undefined),
    install: () => Promise.resolve(),
    plan: () => Promise.resolve([]),
    pack: () => Promise.resolve({ content: '0123456789abcdef', python: '3.11', wheels, indexes }),
    uv: () => Promise.resolve(join(folder, 'uv')),
  };
  const step: Step = {
    id: 'libraries',
    check: () => Promise.resolve(undefined),
    apply: async (context) => void (await addWheels(context, store, source, [])),
    verify: () => Promise.resolve({ en: '', 'zh-CN': '' }),
  };
  const run = stepRun(labOf(['anna']), createLocalShell({ home: folder }));
  return runSteps([createFactsStep(systemClock), step], run);
}

describe('wheels of a bundle', () => {
  it('have the hash that the index has; each is fetched once', async () => {
    expect(await add([tidy])).toBeUndefined();
    const [part] = (await store.read()).wheels;
    expect(part?.wheels).toMatchObject([{ ...tidy, size: expect.any(Number) as number }]);
    expect(await add([tidy])).toBeUndefined();
    expect(index.asked).toEqual([tidy.file]);
    expect((await store.read()).wheels).toHaveLength(1);
    expect((await store.read()).pythons).toEqual({});
  });

  it('come from the next index where one does not have them', async () => {
    const poor = await startIndex([]);
    expect(await add([tidy], [poor.index, index.index])).toBeUndefined();
    await poor.close();
  });

  it('that no index has are refused, and nothing is noted', async () => {
    const failed = await add([{ ...tidy, version: '6.6', file: 'tidy-6.6-py3-none-any.whl' }]);
    expect(failed).toMatchObject({ code: 'mirrors_failed' });
    expect((await store.read()).wheels).toEqual([]);
  });

  it('that arrive with other bytes than the index says are refused', async () => {
    index.spoil = (bytes) => Buffer.concat([bytes, Buffer.from('x')]);
    expect(await add([tidy])).toMatchObject({ code: 'hash_mismatch' });
    expect((await store.read()).wheels).toEqual([]);
    expect(readdirSync(join(store.folder, 'objects')).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
