/** How long a run still takes, from how fast its steps came lately. Pure. */

export interface Progress {
  /** Unix seconds. */
  readonly t: number;
  readonly step: number;
}

/** Older progress says nothing of now, but for the newest few of slow steps. */
const windowSeconds = 120;
const fewSteps = 3;
const maxKept = 600;
/** Less than this is no measurement. */
const minimumSeconds = 3;
const minimumSteps = 2;

/** What was seen of a run: `from` is its step when it was first looked at, before which nothing is known. */
export interface Seen {
  readonly from: number;
  /** Ends of steps: the first is that of a step whose beginning was not seen, such as one that waited for others. */
  readonly ends: readonly Progress[];
}

/** Adds the newest progress. Steps that go back (a resume) begin a new measurement. */
export function noteProgress(seen: Seen | undefined, now: Progress): Seen {
  if (seen === undefined) return { from: now.step, ends: [] };
  const last = seen.ends.at(-1)?.step ?? seen.from;
  if (now.step < last) return { from: now.step, ends: [] };
  if (now.step === last) return seen;
  const ends = [...seen.ends, now];
  const recent = ends.filter(({ t }) => now.t - t <= windowSeconds).slice(-maxKept);
  return { from: seen.from, ends: recent.length < fewSteps ? ends.slice(-fewSteps) : recent };
}

/** Seconds, or undefined while too little is known. @param total steps of the whole run */
export function secondsRemaining(seen: Seen | undefined, total: number | undefined): number | undefined {
  const first = seen?.ends[0];
  const last = seen?.ends.at(-1);
  if (first === undefined || last === undefined || total === undefined) return undefined;
  const seconds = last.t - first.t;
  const steps = last.step - first.step;
  if (seconds < minimumSeconds || steps < minimumSteps) return undefined;
  return Math.max(0, ((total - last.step) * seconds) / steps);
}
