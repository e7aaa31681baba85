/** Nodes whose clocks are off: what they date is put on this computer's clock, so that ranks stand beside one another. */
import { z } from 'zod';

export const NodeClock = z.object({
  /** Unix seconds on the node's clock, from when on this holds. */
  from: z.number(),
  /** Seconds that it is ahead of this computer's. */
  ahead: z.number(),
});
export type NodeClock = z.infer<typeof NodeClock>;

/** Below it a difference may as well be the way there and back, and is not corrected. */
const minAhead = 2;
const maxKept = 50;

/**
 * What is known of a clock once it was looked at again, at `now` by this computer's.
 * @param known until now; undefined: nothing is dated by it yet
 */
export function clockSeen(known: readonly NodeClock[] | undefined, now: number, ahead: number): NodeClock[] {
  const off = Math.abs(ahead) < minAhead ? 0 : ahead;
  if (known === undefined) return [{ from: 0, ahead: off }];
  // As it was, within what can be told apart.
  if (Math.abs(off - (known.at(-1)?.ahead ?? 0)) < minAhead) return [...known];
  return [...known, { from: now + ahead, ahead: off }].slice(-maxKept);
}

/** A moment of the node's clock on this computer's. */
export const onOurClock = (clocks: readonly NodeClock[] | undefined, t: number): number =>
  t - (clocks?.findLast(({ from }) => from <= t)?.ahead ?? 0);
