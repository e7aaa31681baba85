/**
 * Who of several nodes gets a folder from whom: the first one over the person's uplink, each other from a node that has it,
 * over the network between them. A node gives to one at a time, so that with each round twice as many have it.
 */
import { isCancelled } from '../../../shared/errors.ts';
import type { NodeFacts } from '../../../shared/provision.ts';
import type { SshSession } from '../../ssh/index.ts';

/** A node that has the whole folder. */
export interface Holder {
  readonly session: SshSession;
  readonly facts: NodeFacts;
  readonly folder: string;
}

export interface FolderSwarm {
  /**
   * Does `first` where nobody has the folder or is getting it from here, else `passOn` from one who has it. Where passing
   * on fails, `first`.
   */
  bring(
    key: string,
    how: {
      first: () => Promise<Holder>;
      passOn: (from: Holder) => Promise<Holder>;
      signal: AbortSignal;
      onFallback: (error: unknown) => void;
    },
  ): Promise<void>;
}

/** Holders that are remembered for a folder: connections grow old. */
const believedMs = 10 * 60_000;

interface Swarm {
  free: { holder: Holder; at: number }[];
  /** Nodes that are getting it now, from anywhere. */
  coming: number;
  waiting: (() => void)[];
}

export function createFolderSwarm(now: () => number = Date.now): FolderSwarm {
  const swarms = new Map<string, Swarm>();

  return {
    async bring(key, { first, passOn, signal, onFallback }) {
      const swarm = swarms.get(key) ?? { free: [], coming: 0, waiting: [] };
      swarms.set(key, swarm);
      const wake = (): void => swarm.waiting.splice(0).forEach((go) => go());
      const giver = await take(swarm, signal);
      try {
        let mine: Holder;
        if (giver === undefined) mine = await first();
        else {
          try {
            mine = await passOn(giver.holder);
            swarm.free.push(giver);
          } catch (error) {
            if (isCancelled(error) || signal.aborted) {
              // It was not the giver's fault.
              swarm.free.push(giver);
              throw error;
            }
            onFallback(error);
            mine = await first();
          }
        }
        swarm.free.push({ holder: mine, at: now() });
      } finally {
        swarm.coming -= 1;
        wake();
        if (swarm.coming === 0 && swarm.free.length === 0) swarms.delete(key);
      }
    },
  };

  /** One who has it and gives to nobody now; undefined where nobody has it and nobody is getting it. */
  async function take(swarm: Swarm, signal: AbortSignal): Promise<Swarm['free'][number] | undefined> {
    for (;;) {
      signal.throwIfAborted();
      swarm.free = swarm.free.filter(({ at }) => now() - at < believedMs);
      const found = swarm.free.shift();
      if (found !== undefined || swarm.coming === 0) {
        // Counted before the next of those that wait looks.
        swarm.coming += 1;
        return found;
      }
      await new Promise<void>((resolve) => {
        swarm.waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}
