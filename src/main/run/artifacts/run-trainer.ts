/**
 * Runs a command of the run's own trainer on rank 0's node, for work on checkpoints; with low priority, since
 * training may be running.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { shellQuote } from '../../ssh/index.ts';

export interface RunTrainer {
  /** Its path on the node. */
  readonly path: string;
  /** Shell text that starts it with these arguments. */
  command(args: readonly string[]): string;
}

/** Rejects with `trainer_gone` where the run's record has no trainer. */
export function trainerOf(rank0: RunRecord['ranks'][number]): RunTrainer {
  const path = rank0.argv.find((word) => word.endsWith('/ringlab-train'));
  if (path === undefined) throw new RinglabError('trainer_gone', {}, { where: rank0.nodeName });
  const env = Object.entries(rank0.env).map(([name, value]) => shellQuote(`${name}=${value}`));
  return {
    path,
    command: (args) => `env ${env.join(' ')} nice -n 10 ${[path, ...args].map(shellQuote).join(' ')}`,
  };
}
