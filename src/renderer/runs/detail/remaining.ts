/** How long a run still takes, from how fast its steps came lately. Pure. */

export interface Progress {
  /** Unix seconds. */
  readonly t: number;
  readonly step: number;
}

/** Older progress says nothing of now. */
const windowSeconds = 120;
const mostKept = 600;
/** Less than this is no measurement. */
const leastSeconds = 3;

/** Adds the newest progress. Steps that go back (a resume) begin a new measurement. */
export function noteProgress(history: readonly Progress[], now: Progress): readonly Progress[] {
  const last = history.at(-1);
  if (last !== undefined && now.step < last.step) return [now];
  if (last !== undefined && now.step === last.step) return history;
  return [...history, now].filter(({ t }) => now.t - t <= windowSeconds).slice(-mostKept);
}

/** Seconds, or undefined while too little is known. @param total steps of the whole run */
export function secondsRemaining(
  history: readonly Progress[],
  total: number | undefined,
): number | undefined {
  const first = history[0];
  const last = history.at(-1);
  if (first === undefined || last === undefined || total === undefined) return undefined;
  const seconds = last.t - first.t;
  const steps = last.step - first.step;
  if (seconds < leastSeconds || steps <= 0) return undefined;
  return Math.max(0, ((total - last.step) * seconds) / steps);
}
