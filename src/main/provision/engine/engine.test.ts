/** Tests how often a step is repeated after a lost connection, and what its record says. */
import { linesIn, plain } from '../../../shared/base/phrase.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { StepRecord } from '../../../shared/node/provision.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import { runStep } from './engine.ts';
import { NodeStatus } from '../node/readiness.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import { placeOf, type Step, type StepWork } from './step.ts';
import { createAsker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';

let home = '';
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** @param reach how far each attempt gets; the last one succeeds */
async function tried(
  reach: readonly number[],
  named: Pick<Step, 'id' | 'place'> = { id: 'data' },
  failure = new RinglabError('connection_lost', { host: 'a' }),
): Promise<{ attempts: number; state: string; shown: readonly string[]; record: StepRecord }> {
  home = mkdtempSync(join(tmpdir(), 'ringlab-engine-'));
  const shell = createLocalShell({ home });
  const lab = labOf(['a']);
  const [node] = lab.nodes;
  if (node === undefined) throw new Error('no node');
  let attempts = 0;
  const work: StepWork = {
    check: () => Promise.resolve(undefined),
    apply({ status }) {
      status.progress(reach[attempts] ?? 0, 100, 'bytes');
      attempts += 1;
      return attempts < reach.length ? Promise.reject(failure) : Promise.resolve();
    },
    verify: () => Promise.resolve(plain('there')),
  };
  const status = new NodeStatus(
    lab.id,
    node.id,
    () => undefined,
    () => undefined,
  );
  // The caller guarantees that name and place match.
  const step = { ...named, ...work } as Step;
  await runStep(step, {
    ...{ lab, node, status, redo: false, work: {} },
    signal: new AbortController().signal,
    // No pause between attempts.
    clock: { ...systemClock, after: (_, action) => systemClock.after(0, action) },
    connect: () => Promise.resolve(shell),
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }),
  }).catch(() => undefined);
  const { id } = placeOf(step);
  const shown = status
    .snapshot()
    .steps.flatMap((one) => (one.state === 'waiting' ? [] : [`${one.instead ?? one.id} in ${one.id}`]));
  return { attempts, state: status.step(id).state, shown, record: status.step(id).snapshot() };
}

test('a step without progress is given up after three attempts', async () => {
  expect(await tried([10, 10, 10, 10, 10])).toMatchObject({ attempts: 3, state: 'failed' });
});

test('a step with progress at each attempt is not given up', async () => {
  expect(await tried([10, 20, 30, 40, 50, 100])).toMatchObject({ attempts: 6, state: 'done' });
});

test('a step is repeated where the connection to the jump host was lost, and not where the jump host refuses', async () => {
  const through = (cause: RinglabError): RinglabError =>
    new RinglabError('jump_failed', { hop: 'u@gate:22' }, { where: 'a', cause });
  const lost = through(new RinglabError('connection_lost', { host: 'gate' }));
  expect(await tried([10, 20, 100], { id: 'data' }, lost)).toMatchObject({ attempts: 3, state: 'done' });
  const refused = through(new RinglabError('host_refused', { host: 'gate', port: 22 }));
  expect(await tried([10, 20, 100], { id: 'data' }, refused)).toMatchObject({ attempts: 1, state: 'failed' });
});

test('what failed is reported in both languages; a record of an earlier version, whose log has strings alone, is read', async () => {
  const { record } = await tried([10, 10, 10, 10, 10]);
  expect(linesIn(record.log, 'en')).toBe(
    [
      'The connection to a was lost. (next attempt in 1 s)',
      'The connection to a was lost. (next attempt in 2 s)',
      'failed: a: The connection to a was lost.',
    ].join('\n'),
  );
  expect(linesIn(record.log, 'zh-CN')).toMatch(/（2 秒后重试）\n失败：a：.*连接/);
  expect(StepRecord.parse({ ...record, log: ['$ uname', 'failed: connection_lost'] }).log).toHaveLength(2);
});

test('work outside the step order is shown at its step’s place, under its own name', async () => {
  expect((await tried([100])).shown).toEqual(['data in data']);
  expect((await tried([100], { id: 'lock', place: 'libraries' })).shown).toEqual(['lock in libraries']);
});

test('a node is rebooted once, although its connection breaks', async () => {
  const { attempts, state } = await tried([1, 2, 3], { id: 'reboot', place: 'reach' });
  expect({ attempts, state }).toEqual({ attempts: 1, state: 'failed' });
});

test('a place no longer shows earlier work after a new start', () => {
  const status = new NodeStatus('l', 'n', nothing, nothing);
  status.step('reach').begin(1000, 'reboot');
  expect(status.step('reach').snapshot().instead).toBe('reboot');
  status.step('reach').begin(2000);
  expect(status.step('reach').snapshot()).not.toHaveProperty('instead');
  status.step('reach').begin(3000, 'reboot');
  status.step('reach').reset();
  expect(status.step('reach').snapshot()).not.toHaveProperty('instead');
});
const nothing = (): void => undefined;
