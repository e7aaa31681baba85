/** Estimates a run's remaining time from its recent steps. Pure functions. */

export interface Progress {
  /** Unix seconds. */
  readonly t: number;
  readonly step: number;
}

/** Older progress is ignored, but the newest few of slow steps are kept. */
const windowSeconds = 120;
const fewSteps = 3;
const maxKept = 600;
/** The minimum for a measurement. */
const minimumSeconds = 3;
const minimumSteps = 2;

/** The progress seen so far. `from` is the run's step when it was first seen; nothing is known before it. */
export interface Seen {
  readonly from: number;
  /** Ends of steps. The first one's beginning was not seen, and it may have waited for others. */
  readonly ends: readonly Progress[];
}

/** Adds the newest progress. If the step decreases (a resume), a new measurement starts. */
export function noteProgress(seen: Seen | undefined, now: Progress): Seen {
  if (seen === undefined) return { from: now.step, ends: [] };
  const last = seen.ends.at(-1)?.step ?? seen.from;
  if (now.step < last) return { from: now.step, ends: [] };
  if (now.step === last) return seen;
  const ends = [...seen.ends, now];
  const recent = ends.filter(({ t }) => now.t - t <= windowSeconds).slice(-maxKept);
  return { from: seen.from, ends: recent.length < fewSteps ? ends.slice(-fewSteps) : recent };
}

/** Seconds, or undefined without enough measurements. @param total steps of the whole run */
export function secondsRemaining(seen: Seen | undefined, total: number | undefined): number | undefined {
  const first = seen?.ends[0];
  const last = seen?.ends.at(-1);
  if (first === undefined || last === undefined || total === undefined) return undefined;
  const seconds = last.t - first.t;
  const steps = last.step - first.step;
  if (seconds < minimumSeconds || steps < minimumSteps) return undefined;
  return Math.max(0, ((total - last.step) * seconds) / steps);
}
