import { expect, it, onTestFinished } from 'vitest';
import { watchInterrupts } from './follow.ts';

it('a signal that arrives twice, from the terminal and from a launcher, is one interrupt; a later one is another', () => {
  let ticks = 1000;
  const interrupts = watchInterrupts({ ticks: () => ticks });
  onTestFinished(() => interrupts.end());
  const counted: number[] = [];
  interrupts.listen((count) => counted.push(count));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Behind two launchers, as npm's and the package's.
    for (let time = 0; time < 3; time += 1, ticks += 20) process.emit(signal, signal);
    ticks += 1000;
  }
  expect(counted).toEqual([1, 2]);
});
