import { expect, test } from 'vitest';
import { linesIn } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
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

test('changes are reported though the computer’s clock was set back a day', () => {
  const clock = createHandClock();
  const reported: NodeReadiness[] = [];
  const step = createReadinessBook(clock, (readiness) => reported.push(readiness))
    .node('lab', 'n0')
    .step('data');
  step.progress(1, 1000, 'files');
  clock.pass(500);
  const before = reported.length;
  clock.jump(-86_400_000);
  step.progress(2, 1000, 'files');
  clock.pass(500);
  expect(reported.length).toBeGreaterThan(before);
});

test('a new node is unknown and waits for every step', () => {
  const book = createReadinessBook(createHandClock(), () => undefined);
  const lab = labOf(['a', 'b']);
  lab.nodes[1] = { ...lab.nodes[1]!, kind: 'switch' };
  expect(book.status(lab)).toHaveLength(1);
  expect(book.status(lab)[0]).toMatchObject({ nodeId: 'n0', state: 'unknown' });
  expect(book.status(lab)[0]?.steps.every(({ state }) => state === 'waiting')).toBe(true);
});

test('a log has sentences in every language, and commands and their output as they are', () => {
  const log = new StepLog(() => undefined);
  log.command('uname -s');
  log.command(phrase('nodeCommands.uv'));
  log.add(phrase('stepLog.lentProblem', { problem: 'first\r\nsecond \u001b[31mred' }));
  expect(linesIn(log.lines, 'en')).toBe('$ uname -s\n$ look for uv\nfrom this computer: first second red');
  expect(linesIn(log.lines, 'zh-CN')).toBe('$ uname -s\n$ 查找 uv\n从本机：first second red');
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
  expect(linesIn(log.lines, 'en').length).toBeLessThan(300_000);
});
