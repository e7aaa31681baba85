/**
 * Distributes a folder to several nodes: the first gets it over the user's uplink, each other from a node that has
 * it, over the network between them. A node sends to one other at a time, so that the number of holders doubles with
 * each round.
 */
import { isCancelled } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { isConnectionLost, type SshSession } from '../../ssh/index.ts';

/** A node that has the complete folder. */
export interface Holder {
  readonly nodeId: string;
  readonly nodeName: string;
  /** Returns its live session: the one it had when it got the folder may be closed. */
  connect(): Promise<SshSession>;
  readonly facts: NodeFacts;
  readonly folder: string;
}

export interface FolderSwarm {
  /** Registers a node that already has the folder, as a source for others. */
  offer(key: string, holder: Holder): void;
  /**
   * Calls `first` where nobody has the folder or is receiving it from here, else `passOn` with a holder. Where
   * passing on fails, falls back to `first`; where it broke off, retries it once before. Rejects with
   * `connection_lost` where an SSH connection of either end was lost: repeating the step finds the current holders.
   */
  bring(
    key: string,
    how: {
      nodeId: string;
      /**
       * Nodes with priority, since one of them has a partial upload of an earlier preparation. Waits for them
       * briefly.
       */
      before: readonly string[];
      first: () => Promise<Holder>;
      /** `began` is called when the first bytes have arrived. */
      passOn: (from: Holder, began: () => void) => Promise<Holder>;
      signal: AbortSignal;
      onFallback: (error: unknown) => void;
    },
  ): Promise<void>;
}

/** How long a holder is remembered: connections grow old. */
const believedMs = 10 * 60_000;
/**
 * How long a node waits for those with priority: they may be at an earlier step, reconnect, or not be prepared at
 * all.
 */
const patienceMs = 10_000;
const relays = 3;

interface Swarm {
  free: { holder: Holder; at: number }[];
  /** Number of nodes that are receiving it, from anywhere. */
  coming: number;
  waiting: (() => void)[];
  /** Nodes that reached this step, with or without the folder, and when. */
  come: Map<string, number>;
  /** When a node last failed to receive the folder: it may soon be back, with a part of it. */
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
      // The same node may have a newer connection.
      swarm.free = swarm.free.filter((one) => one.holder.nodeId !== nodeId);
      swarm.free.push({ holder, at: now() });
      wake(swarm);
    },
    async bring(key, { nodeId, before, first, passOn, signal, onFallback }) {
      const swarm = swarmOf(key);
      swarm.come.set(nodeId, now());
      // One may wait for this node's priority; those that wait for the folder stay in order.
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
                if (isCancelled(error) || signal.aborted || isConnectionLost(error)) {
                  // Not the sender's fault, or its connection is back: it still has the folder, and the uplink would
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

  /** A holder that is free; undefined where nobody has it and nobody is receiving it. */
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
        // Counted before the next waiting node checks.
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
