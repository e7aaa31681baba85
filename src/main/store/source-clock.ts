/**
 * When the lines of one source were written, by this computer's clock, and never back in their own order: a clock that was
 * set back in mid-run takes nothing to where it was not.
 */
import { z } from 'zod';
import type { MetricLine } from '../../shared/metrics/metrics.ts';
import { onOurClock, type NodeClock } from '../../shared/node/node-clock.ts';

/** Lines of several threads may be written in another order than they are dated. */
const tolerated = 1;

export const ClockState = z.object({ seq: z.number(), t: z.number().nullable(), setBack: z.number() });
type ClockState = z.infer<typeof ClockState>;

export class SourceClock {
  /** What is known of the node's clock. */
  clocks: readonly NodeClock[] | undefined;
  #state: ClockState;

  constructor(state: ClockState = { seq: -1, t: null, setBack: 0 }) {
    this.#state = state;
  }

  /** To go on from. */
  get state(): ClockState {
    return this.#state;
  }

  /** The line as it is indexed and reported. Called once for each, in the order of the file. */
  dated(line: MetricLine): MetricLine {
    const { seq, t: newest } = this.#state;
    let { setBack } = this.#state;
    let t = onOurClock(this.clocks, line.t) + setBack;
    if (line.seq > seq) {
      if (newest !== null && t < newest - tolerated) {
        setBack += newest - t;
        t = newest;
      }
      this.#state = { seq: line.seq, t: newest === null ? t : Math.max(newest, t), setBack };
    }
    return t === line.t ? line : { ...line, t };
  }
}
