import { describe, expect, it } from 'vitest';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import type { LaunchOrder, Launcher } from '../record/launcher.ts';
import { defaultSettings } from '../record/settings.ts';
import { createSignaller, type Signaller } from './signaller.ts';

/**
 * One rank that does not end.
 * @param arrives whether the next signal does
 * @param delay seconds until its answer
 */
function bench(
  arrives: () => boolean = () => true,
  delay = 0,
): {
  signaller: Signaller;
  sent: string[];
  restart: () => void;
  /** Seconds, in each of which it is seen alive. */
  alive: (seconds: number, waits?: boolean) => Promise<void>;
} {
  const clock = createHandClock();
  const sent: string[] = [];
  let id = 1;
  const order: LaunchOrder = {
    ...{ nodeId: 'a', label: 'rank-0', directory: '/', argv: [], env: {}, attempt: 1 },
  };
  // Of a launcher only its signals are used.
  const launcher = {
    signal: async (_order, process, name) => {
      sent.push(`${name} ${process.id}`);
      if (delay > 0) await clock.sleep(delay * 1000);
      if (!arrives()) throw new Error('cut off');
      return true;
    },
  } as Pick<Launcher, 'signal'> as Launcher;
  const signaller = createSignaller({
    ...{ launcher, clock, settings: defaultSettings, signal: new AbortController().signal },
    rank: () => ({ order, process: { id: String(id) } }),
  });
  return {
    signaller,
    sent,
    restart: () => (id += 1),
    alive: async (seconds, waits = false) => {
      for (let second = 0; second < seconds; second += 1) {
        clock.pass(1000);
        signaller.again(0, waits);
        for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
      }
    },
  };
}

describe('a rank that is asked to stop', () => {
  it('is killed after the shorter of two grace periods, or never', async () => {
    const { signaller, sent, alive } = bench();
    signaller.stop(1, Infinity);
    await alive(3600);
    expect(sent).toEqual(['TERM 1']);
    signaller.stop(1, 60_000);
    await alive(59);
    expect(sent).toEqual(['TERM 1']);
    await alive(4);
    expect(sent).toEqual(['TERM 1', 'KILL 1']);
  });
  it('gets one SIGTERM, since a second one ends a trainer before it has saved', async () => {
    const { signaller, sent, alive, restart } = bench();
    signaller.stop(1, Infinity);
    await alive(20);
    signaller.stop(1, 30_000);
    await alive(20);
    expect(sent).toEqual(['TERM 1']);
    // A supervisor has started it again, or the job has begun again.
    restart();
    await alive(5);
    expect(sent).toEqual(['TERM 1', 'TERM 2']);
  });
  it('gets it again when its job, which was requeued, has begun again', async () => {
    const { signaller, sent, alive } = bench();
    signaller.stop(1, Infinity);
    await alive(20);
    await alive(6, true);
    expect(sent).toEqual(['TERM 1', 'TERM 1', 'TERM 1']);
    await alive(20);
    expect(sent).toEqual(['TERM 1', 'TERM 1', 'TERM 1', 'TERM 1']);
  });
  it('gets one SIGTERM over a link that takes long to answer', async () => {
    const { signaller, sent, alive } = bench(() => true, 10);
    signaller.stop(1, 20_000);
    await alive(19);
    expect(sent).toEqual(['TERM 1']);
    await alive(5);
    expect(sent).toEqual(['TERM 1', 'KILL 1']);
  });
  it('gets it again where it did not arrive', async () => {
    let arrives = false;
    const { signaller, sent, alive } = bench(() => arrives);
    signaller.stop(1, 30_000);
    await alive(2);
    const tries = sent.length;
    expect(tries).toBeGreaterThan(1);
    arrives = true;
    await alive(10);
    expect(sent).toEqual(Array(tries + 1).fill('TERM 1'));
  });
});
