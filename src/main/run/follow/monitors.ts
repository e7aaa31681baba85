/** The monitors of a run's nodes: whether each lives, waiting for their last samples, and ending them. */
import type { StartedProcess } from '../../../shared/run/run.ts';
import type { Clock } from '../../base/clock.ts';
import { monitorOrder } from '../launch/orders.ts';
import type { Launcher, Sight } from '../record/launcher.ts';
import type { RecordKeeper } from '../record/record.ts';

export interface Monitors {
  /** A monitor that has not been seen yet. */
  expect(nodeId: string): void;
  seen(nodeId: string, sight: Sight): void;
  /** Resolves when all have ended, or after so many milliseconds. */
  ended(milliseconds: number): Promise<void>;
  /** Signals those that are alive and within reach. */
  end(): Promise<void>;
}

export function createMonitors({
  launcher,
  keeper,
  clock,
  signal,
  unreachable,
}: {
  readonly launcher: Launcher;
  readonly keeper: RecordKeeper;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The nodes that are out of reach at the moment. */
  readonly unreachable: ReadonlyMap<string, number>;
}): Monitors {
  const monitors = new Map<string, StartedProcess | undefined>();
  let allGone: (() => void) | undefined;
  const endOne = async (nodeId: string): Promise<void> => {
    const process = monitors.get(nodeId);
    const first = keeper.current.ranks.find((rank) => rank.nodeId === nodeId);
    if (process === undefined || first === undefined || unreachable.has(nodeId)) return;
    await launcher.signal(monitorOrder(keeper.current, first), process, 'TERM', signal);
  };
  return {
    expect: (nodeId) => void monitors.set(nodeId, undefined),
    seen(nodeId, sight) {
      if (sight.state === 'starting') return;
      if (sight.state === 'alive') {
        monitors.set(nodeId, sight.process);
        return;
      }
      monitors.delete(nodeId);
      if (monitors.size === 0) allGone?.();
    },
    async ended(milliseconds) {
      if ([...monitors.keys()].every((nodeId) => unreachable.has(nodeId))) return;
      const gone = new AbortController();
      allGone = () => gone.abort();
      await clock.sleep(milliseconds, AbortSignal.any([gone.signal, signal])).catch(() => undefined);
    },
    async end() {
      await Promise.allSettled([...monitors.keys()].map(endOne));
    },
  };
}
