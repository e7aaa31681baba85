/** What is known of a script's progress, from what it prints. Pure functions. */
import type { RunScalar, ScriptProgress } from '../../../shared/run/run-outputs.ts';

/** The scalar that describes training best: a loss, of training rather than of validation or of the best epoch, the shortest name. */
export function mainScalar(scalars: readonly RunScalar[]): string | undefined {
  const losses = scalars.map(({ name }) => name).filter((name) => /loss/i.test(name));
  const training = losses.filter((name) => !/val|test|eval|best/i.test(name));
  return (training.length > 0 ? training : losses).toSorted((a, b) => a.length - b.length)[0];
}

/** From 0 to 1; undefined where the total is unknown. With epochs, the steps are those of the epoch. */
export function shareOf({ step, steps, epoch, epochs }: ScriptProgress): number | undefined {
  const inEpoch =
    step !== undefined && steps !== undefined && steps > 0 ? Math.min(1, step / steps) : undefined;
  if (epoch === undefined || epochs === undefined || epochs <= 0) return inEpoch;
  return Math.min(1, epoch / epochs);
}

/** Seconds by which a script may be late, or as long as what it said, if that is more. */
const lateness = 60;

/**
 * Seconds that a script still takes, by what it printed, less the time since then: it may print once an hour. Undefined where it said
 * nothing, and where it is late by far: what it said was wrong, or of an attempt before.
 * @param now Unix seconds
 */
export function secondsLeft({ t, remaining }: ScriptProgress, now: number): number | undefined {
  if (remaining === undefined) return undefined;
  // The clock of a browser elsewhere may be behind.
  const left = remaining - Math.max(0, now - t);
  return left < -Math.max(lateness, remaining) ? undefined : Math.max(0, left);
}
