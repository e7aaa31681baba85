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
