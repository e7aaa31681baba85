import { expect, it } from 'vitest';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import type { LaunchOrder, Launcher } from '../record/launcher.ts';
import { defaultSettings } from '../record/settings.ts';
import { createSignaller } from './signaller.ts';

it('a rank is asked to stop at once, and killed after the shorter of two grace periods, or never', async () => {
  const clock = createHandClock();
  const sent: string[] = [];
  const order: LaunchOrder = {
    ...{ nodeId: 'a', label: 'rank-0', directory: '/', argv: [], env: {}, attempt: 1 },
  };
  // Of a launcher only its signals are used.
  const launcher = {
    signal: (_order, _process, name) => {
      sent.push(name);
      return Promise.resolve(true);
    },
  } as Pick<Launcher, 'signal'> as Launcher;
  const rank = (): { order: LaunchOrder; process: { id: string } } => ({ order, process: { id: '1' } });
  const { signal } = new AbortController();
  const signaller = createSignaller({ launcher, clock, settings: defaultSettings, signal, rank });
  const after = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
  };
  signaller.stop(1, Infinity);
  await after(7_200_000);
  expect(sent).toEqual(['TERM']);
  signaller.stop(1, 60_000);
  await after(50_000);
  expect(sent).toEqual(['TERM', 'TERM']);
  await after(11_000);
  expect(sent).toEqual(['TERM', 'TERM', 'KILL']);
});
