/**
 * Who of several nodes gets a folder from whom: the first one over the user's uplink, each other from a node that has it,
 * over the network between them. A node gives to one at a time, so that with each round twice as many have it.
 */
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';

/** A node that has the whole folder. */
export interface Holder {
  readonly nodeId: string;
  readonly nodeName: string;
  /** Its live session: the one it had when it got the folder may be gone. */
  connect(): Promise<SshSession>;
  readonly facts: NodeFacts;
  readonly folder: string;
}

export interface FolderSwarm {
  /** A node that has the folder already: others may get it from there. */
  offer(key: string, holder: Holder): void;
  /**
   * Does `first` where nobody has the folder or is getting it from here, else `passOn` from one who has it. Where passing
   * on fails, `first`; where it broke off on the way, once more before that. Rejects with `connection_lost` where an SSH
   * connection of either end went: who has the folder is asked again when the step is done again.
   */
  bring(
    key: string,
    how: {
      nodeId: string;
      /** Nodes that would rather be first: what an earlier preparation began is on one of them. Waited for a little. */
      before: readonly string[];
      first: () => Promise<Holder>;
      /** `began` is called when something has arrived. */
      passOn: (from: Holder, began: () => void) => Promise<Holder>;
      signal: AbortSignal;
      onFallback: (error: unknown) => void;
    },
  ): Promise<void>;
}

/** Holders that are remembered for a folder: connections grow old. */
const believedMs = 10 * 60_000;
/** How long a node waits for those before it: they may be at an earlier step, connect anew, or not be prepared at all. */
const patienceMs = 10_000;
const relays = 3;

const isLost = (error: unknown): boolean => error instanceof RinglabError && error.code === 'connection_lost';

interface Swarm {
  free: { holder: Holder; at: number }[];
  /** Nodes that are getting it now, from anywhere. */
  coming: number;
  waiting: (() => void)[];
  /** Nodes that have come, with or without the folder, and when. */
  come: Map<string, number>;
  /** When somebody last went without the folder: it may be back in a moment, with what it has already. */
  lostAt: number;
}

export function createFolderSwarm(now: () => number = Date.now, patience = patienceMs): FolderSwarm {
  const swarms = new Map<string, Swarm>();
  const swarmOf = (key: string): Swarm => {
    for (const [other, swarm] of swarms) if (other !== key && isOver(swarm)) swarms.delete(other);
    const swarm = swarms.get(key) ?? {
      free: [],
      coming: 0,
      waiting: [],
      come: new Map<string, number>(),
      lostAt: 0,
    };
    swarms.set(key, swarm);
    return swarm;
  };
  const isOver = (swarm: Swarm): boolean => {
    swarm.free = swarm.free.filter(({ at }) => now() - at < believedMs);
    const late = [...swarm.come.values()].every((at) => now() - at > believedMs);
    return swarm.coming === 0 && swarm.waiting.length === 0 && swarm.free.length === 0 && late;
  };
  const wake = (swarm: Swarm): void => swarm.waiting.splice(0).forEach((go) => go());

  return {
    offer(key, holder) {
      const swarm = swarmOf(key);
      const { nodeId } = holder;
      swarm.come.set(nodeId, now());
      // The same node again has a newer connection.
      swarm.free = swarm.free.filter((one) => one.holder.nodeId !== nodeId);
      swarm.free.push({ holder, at: now() });
      wake(swarm);
    },
    async bring(key, { nodeId, before, first, passOn, signal, onFallback }) {
      const swarm = swarmOf(key);
      swarm.come.set(nodeId, now());
      // Somebody may wait for this node alone; those that wait for the folder keep their order.
      if (swarm.coming === 0) wake(swarm);
      try {
        for (let turn = 1; ; turn += 1) {
          const giver = await take(swarm, before, signal);
          try {
            let mine: Holder;
            if (giver === undefined) mine = await first();
            else {
              const relay = { began: false };
              try {
                mine = await passOn(giver.holder, () => (relay.began = true));
                swarm.free.push(giver);
              } catch (error) {
                if (isCancelled(error) || signal.aborted || isLost(error)) {
                  // Not the giver's fault, or of a connection that comes back: it still has the folder, and the uplink would
                  // carry it a second time.
                  swarm.free.push(giver);
                  throw error;
                }
                onFallback(error);
                if (relay.began && turn < relays) {
                  swarm.free.push(giver);
                  continue;
                }
                mine = await first();
              }
            }
            swarm.free.push({ holder: mine, at: now() });
            return;
          } finally {
            swarm.coming -= 1;
          }
        }
      } catch (error) {
        swarm.come.delete(nodeId);
        swarm.lostAt = now();
        throw error;
      } finally {
        wake(swarm);
      }
    },
  };

  /** One who has it and gives to nobody now; undefined where nobody has it and nobody is getting it. */
  async function take(
    swarm: Swarm,
    before: readonly string[],
    signal: AbortSignal,
  ): Promise<Swarm['free'][number] | undefined> {
    const began = now();
    for (;;) {
      signal.throwIfAborted();
      swarm.free = swarm.free.filter(({ at }) => now() - at < believedMs);
      const found = swarm.free.shift();
      const recent = (id: string): boolean => now() - (swarm.come.get(id) ?? -Infinity) < believedMs;
      const left = before.every(recent) ? 0 : Math.max(began, swarm.lostAt) + patience - now();
      if (found !== undefined || (swarm.coming === 0 && left <= 0)) {
        // Counted before the next of those that wait looks.
        swarm.coming += 1;
        return found;
      }
      await new Promise<void>((resolve) => {
        swarm.waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (swarm.coming === 0) setTimeout(resolve, left);
      });
    }
  }
}
