/**
 * Corrects for nodes whose clocks are off: their times are converted to this computer's clock, so that ranks can be
 * compared.
 */
import * as z from 'zod';

export const NodeClock = z.object({
  /** Unix seconds on the node's clock from which this offset applies. */
  from: z.number(),
  /** Seconds by which it is ahead of this computer's clock. */
  ahead: z.number(),
});
export type NodeClock = z.infer<typeof NodeClock>;

/** What dates the lines of processes on a node, however its clock is set meanwhile (native/PROTOCOL.md, 'The time of lines'). */
export interface LineClock {
  /** Unix seconds on this computer's clock when the node was started. */
  readonly bootedAt: number;
  /** Of that start: after another one it says nothing. */
  readonly bootId: string;
}

/** A smaller difference may be caused by the round trip, and is not corrected. */
const minAhead = 2;
const maxKept = 50;

/**
 * The offsets after another comparison at `now` (this computer's clock).
 * @param known the offsets so far; undefined: nothing has been dated by this clock
 */
export function clockSeen(known: readonly NodeClock[] | undefined, now: number, ahead: number): NodeClock[] {
  const off = Math.abs(ahead) < minAhead ? 0 : ahead;
  if (known === undefined) return [{ from: 0, ahead: off }];
  // Unchanged within the precision of the comparison.
  if (Math.abs(off - (known.at(-1)?.ahead ?? 0)) < minAhead) return [...known];
  return [...known, { from: now + ahead, ahead: off }].slice(-maxKept);
}

/** Converts a time of the node's clock to this computer's. */
export const onOurClock = (clocks: readonly NodeClock[] | undefined, t: number): number =>
  t - (clocks?.findLast(({ from }) => from <= t)?.ahead ?? 0);
