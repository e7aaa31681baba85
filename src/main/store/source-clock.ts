/**
 * Dates the lines of one source by this computer's clock, monotonically: a clock that is set back during a run does
 * not move lines back.
 */
import * as z from 'zod';
import type { MetricLine } from '../../shared/metrics/metrics.ts';
import { recordKinds } from '../../shared/run/run-media.ts';
import { onOurClock, type NodeClock } from '../../shared/node/node-clock.ts';

/** Lines of several threads may be written slightly out of order. In seconds. */
const tolerated = 1;
/**
 * A script's records have times of their own, and are written when their writer flushes: TensorBoard's after two minutes, or
 * however long a script has set. So they say nothing of the clock.
 */
const lateKinds: ReadonlySet<string> = new Set(recordKinds);

export const ClockState = z.object({ seq: z.number(), t: z.number().nullable(), setBack: z.number() });
type ClockState = z.infer<typeof ClockState>;

export class SourceClock {
  /** The node's clock offsets. */
  clocks: readonly NodeClock[] | undefined;
  #state: ClockState;

  constructor(state: ClockState = { seq: -1, t: null, setBack: 0 }) {
    this.#state = state;
  }

  /** The state to continue from. */
  get state(): ClockState {
    return this.#state;
  }

  /** The line as it is indexed and reported. Call once for each, in the order of the file. */
  dated(line: MetricLine): MetricLine {
    const { seq, t: newest } = this.#state;
    let { setBack } = this.#state;
    let t = onOurClock(this.clocks, line.t) + setBack;
    if (line.seq > seq) {
      if (newest !== null && t < newest - tolerated && !lateKinds.has(line.kind)) {
        setBack += newest - t;
        t = newest;
      }
      this.#state = { seq: line.seq, t: newest === null ? t : Math.max(newest, t), setBack };
    }
    return t === line.t ? line : { ...line, t };
  }
}
