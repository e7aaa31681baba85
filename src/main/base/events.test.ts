import { expect, it } from 'vitest';
import { events as eventSchemas } from '../../shared/contract/api.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import { createEventLog } from './events.ts';

const point = (seq: number): Point => ({ source: 'rank-0', line: { v: 1, seq, t: seq, kind: 'step' } });
const batch = (first: number): Point[] => Array.from({ length: 50 }, (_, i) => point(first + i));

it('keeps the newest points of a long run, and reports that older ones are missing', () => {
  const log = createEventLog();
  for (let n = 0; n < 30_000; n += 1)
    log.emit('run.points', { runId: 'r', points: batch(50 * n), truncated: false });
  const missed = log
    .since(log.session, log.lastSeq - 4000)
    .events.map((event) => eventSchemas['run.points'].parse(event.data));
  expect(missed).toHaveLength(4000);
  const reported = missed.map(({ points, truncated }) => [points.length, truncated].join());
  const whole = reported.lastIndexOf('0,true') + 1;
  expect(new Set(reported.slice(0, whole))).toEqual(new Set(['0,true']));
  expect(new Set(reported.slice(whole))).toEqual(new Set(['50,false']));
  expect(reported.length - whole).toBe(80);
  expect(missed.at(-1)?.points).toEqual(batch(50 * 29_999));
});

it('counts dropped events: small events drop nothing', () => {
  const log = createEventLog();
  for (let n = 0; n < 100_000; n += 1) {
    log.emit('run.removed', { runId: 'x' });
    if (n % 10 === 0) log.emit('run.points', { runId: 'r', points: [point(n)], truncated: false });
  }
  const missed = log.since(log.session, log.lastSeq - 4400).events;
  const points = missed.filter(({ name }) => name === 'run.points');
  expect(points).toHaveLength(400);
  for (const { data } of points) expect(eventSchemas['run.points'].parse(data).points).toHaveLength(1);
});
