import { expect, it, onTestFinished, vi } from 'vitest';
import type { LabApi } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunState } from '../../../shared/run/run.ts';
import { followRun, watchInterrupts, type Interrupts } from './follow.ts';

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

/** What is said of a run that is found in `state`, and stopped by Ctrl+C. */
async function said(state: RunState, started: string[] = [], heldBy?: string): Promise<string> {
  let written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  let looks = 0;
  const call = (name: string, { runId }: { readonly runId?: string }): Promise<unknown> => {
    if (name !== 'run.get') return Promise.resolve([]);
    if (runId !== 'r') return Promise.resolve(runRecord('before', { state: 'stopped' }));
    looks += 1;
    return Promise.resolve(
      looks < 3 ? runRecord('r', { state, heldBy }) : runRecord('r', { state: 'stopped' }),
    );
  };
  // Of the other requests a run that is followed needs none.
  const api = { call, subscribe: () => () => undefined } as unknown as LabApi;
  let again: () => void = () => undefined;
  const interrupts: Interrupts = {
    listen(listener) {
      setTimeout(() => {
        listener(1);
        again();
      }, 10);
      return () => undefined;
    },
    end: () => undefined,
  };
  const onResync = (ask: () => void): (() => void) => {
    again = ask;
    return () => undefined;
  };
  const session = { api, onResync, broken: new Promise<never>(() => undefined) };
  const nothing = (): void => undefined;
  const startWaiting = (labId: string): void => void started.push(labId);
  await followRun(
    { ...session, mayLeave: nothing, concerns: nothing, startWaiting },
    'r',
    interrupts,
    'stop',
  );
  return written;
}

it('of a run that waits it is said at once that it waits, and for what', async () => {
  const started: string[] = [];
  expect(await said('queued', started)).toMatch(/^run r: queued; it starts when .* have ended/);
  // Its turn may have come when no app was open.
  expect(started).toEqual([runRecord('r').labId]);
  expect(await said('running', started)).not.toContain('queued');
  expect(started).toHaveLength(1);
});

it('of a run that is held in the queue it is said since which run, and what starts it', async () => {
  const text = await said('queued', [], 'before');
  expect(text).toContain('run r: Held since “before” was stopped; ringlab resume r starts it');
  expect(text).not.toContain('have ended');
});

it('what has no step yet is not said to stop after one', async () => {
  expect(await said('running')).toContain('stopping after this step');
  for (const state of ['queued', 'preparing', 'starting'] as const)
    expect(await said(state)).toMatch(/stopping; Ctrl\+C again/);
});
