import { expect, test } from 'vitest';
import type { NodeReadiness } from '../../../shared/node/provision.ts';
import { createReadinessBook } from './readiness.ts';
import { StepLog } from './step-log.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { labOf } from '../testing/bench.ts';

test('changes are reported at most ten times a second, the last one always, the log less often', () => {
  const clock = createHandClock();
  const reported: NodeReadiness[] = [];
  const book = createReadinessBook(clock, (readiness) => reported.push(readiness));
  const step = book.node('lab', 'n0').step('data');
  for (let index = 0; index <= 1000; index += 1) {
    step.progress(index, 1000, 'files');
    clock.pass(1);
  }
  expect(reported.length).toBeGreaterThan(5);
  expect(reported.length).toBeLessThanOrEqual(11);
  clock.pass(100);
  expect(reported.at(-1)?.steps.find(({ id }) => id === 'data')?.progress?.done).toBe(1000);
  const before = reported.length;
  for (let index = 0; index < 1000; index += 1) {
    step.log.add(`line ${index}`);
    clock.pass(1);
  }
  expect(reported.length - before).toBeGreaterThan(0);
  expect(reported.length - before).toBeLessThanOrEqual(3);
});

test('a new node is unknown and waits for every step', () => {
  const book = createReadinessBook(createHandClock(), () => undefined);
  const lab = labOf(['a', 'b']);
  lab.nodes[1] = { ...lab.nodes[1]!, kind: 'switch' };
  expect(book.status(lab)).toHaveLength(1);
  expect(book.status(lab)[0]).toMatchObject({ nodeId: 'n0', state: 'unknown' });
  expect(book.status(lab)[0]?.steps.every(({ state }) => state === 'waiting')).toBe(true);
});

test('a log keeps the newest lines, counts dropped ones, and joins split ones', () => {
  const log = new StepLog(() => undefined);
  log.output('first ha', 'stdout');
  log.output('lf\r\n10%\r20%\r', 'stdout');
  log.output('\u001b[31mred\u001b[0m', 'stderr');
  log.flush();
  expect(log.lines).toEqual(['first half', '10%', '20%', 'red']);
  for (let index = 0; index < 1000; index += 1) log.add('x'.repeat(10_000));
  expect(log.lines.length + log.dropped).toBe(1004);
  expect(log.lines.join('').length).toBeLessThan(300_000);
});
