import { expect, it } from 'vitest';
import type { NodeReadiness, StepRecord } from '../../../shared/node/provision.ts';
import { sayPreparation } from './preparation-progress.ts';

const step = (change: Partial<StepRecord>): StepRecord => ({
  id: 'libraries',
  state: 'waiting',
  alreadyThere: false,
  summary: { en: '', 'zh-CN': '' },
  droppedLogLines: 0,
  log: [],
  ...change,
});
const node = (labId: string, ...steps: StepRecord[]): NodeReadiness => ({
  labId,
  nodeId: 'n1',
  state: 'preparing',
  steps,
});

it('a step is said when it ends, and while it waits for something: each once, of this lab alone', () => {
  const said: string[] = [];
  const prepared = sayPreparation('lab', (line) => said.push(line));
  const waits = step({ state: 'applying', summary: { en: 'apt is locked', 'zh-CN': 'apt 被锁定' } });
  const done = step({ state: 'done', summary: { en: 'libtorch 2', 'zh-CN': 'libtorch 2' } });
  for (const now of [step({}), step({ state: 'checking' }), waits, waits, done, done])
    prepared(node('lab', now));
  prepared(node('other', step({ id: 'driver', state: 'failed' })));
  expect(said).toEqual(['n1 libraries: apt is locked', 'n1 libraries: ready libtorch 2']);
});
