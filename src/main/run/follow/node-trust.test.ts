import { expect, it } from 'vitest';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { createNodeTrust } from './node-trust.ts';

const hour = 3600;
const path = '/h/metrics.jsonl';
const megabyte = 1024 * 1024;

it('a clock that was ahead when the run began takes nothing from what its files may grow by', () => {
  const clock = createHandClock();
  const trust = createNodeTrust(clock.now() / 1000, clock);
  clock.jump(-8 * hour * 1000);
  // As a monitor of eight GPUs writes.
  for (let hours = 0; hours < 8; hours += 1) {
    clock.pass(hour * 1000);
    trust.stored(path, 10_000 * hour);
  }
});

it('a computer that slept while the node wrote on takes what was written', () => {
  const clock = createHandClock();
  let up = 500;
  const trust = createNodeTrust(clock.now() / 1000, clock, () => up);
  // The ticks of Linux stand still in a suspend; the wall clock goes on.
  clock.jump(12 * hour * 1000);
  up += 12 * hour;
  trust.stored(path, 15_000 * 12 * hour);
  expect(() => trust.stored(path, 23_000 * megabyte)).toThrow('node_nonsense');
});

it('a clock that is set forward allows no more', () => {
  const clock = createHandClock();
  const trust = createNodeTrust(clock.now() / 1000, clock);
  clock.jump(8 * hour * 1000);
  expect(() => trust.stored(path, 65 * megabyte)).toThrow('node_nonsense');
});

it('what a run wrote before it was followed is taken, as far as its age allows', () => {
  const clock = createHandClock();
  const trust = createNodeTrust(clock.now() / 1000 - 100, clock);
  trust.stored(path, 110 * megabyte);
  expect(() => trust.stored(path, 10 * megabyte)).toThrow('node_nonsense');
});
