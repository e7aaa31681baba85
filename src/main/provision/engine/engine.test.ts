/** How often a step that a connection spoiled is done again. */
import { plain } from '../../../shared/node/diagnosis.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import { runStep } from './engine.ts';
import { NodeStatus } from '../node/readiness.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import type { Step } from './step.ts';
import { createAsker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';

let home = '';
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** @param reach how far each attempt comes; the last one ends */
async function tried(reach: readonly number[]): Promise<{ attempts: number; state: string }> {
  home = mkdtempSync(join(tmpdir(), 'ringlab-engine-'));
  const shell = createLocalShell({ home });
  const lab = labOf(['a']);
  const [node] = lab.nodes;
  if (node === undefined) throw new Error('no node');
  let attempts = 0;
  const step: Step = {
    id: 'data',
    check: () => Promise.resolve(undefined),
    apply({ status }) {
      status.progress(reach[attempts] ?? 0, 100, 'bytes');
      attempts += 1;
      return attempts < reach.length
        ? Promise.reject(new RinglabError('connection_lost', { host: 'a' }))
        : Promise.resolve();
    },
    verify: () => Promise.resolve(plain('there')),
  };
  const status = new NodeStatus(
    lab.id,
    node.id,
    () => undefined,
    () => undefined,
  );
  await runStep(step, {
    ...{ lab, node, status, redo: false, work: {} },
    signal: new AbortController().signal,
    // No pause between attempts.
    clock: { ...systemClock, after: (_, action) => systemClock.after(0, action) },
    connect: () => Promise.resolve(shell),
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }),
  }).catch(() => undefined);
  return { attempts, state: status.step('data').state };
}

test('a step that gets no further is given up after three times', async () => {
  expect(await tried([10, 10, 10, 10, 10])).toEqual({ attempts: 3, state: 'failed' });
});

test('one that gets further each time is not', async () => {
  expect(await tried([10, 20, 30, 40, 50, 100])).toEqual({ attempts: 6, state: 'done' });
});
