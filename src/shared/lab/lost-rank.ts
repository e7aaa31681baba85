/** What an experiment does when a rank is lost, and what it does where its lab does not say. */
import { clusterOf } from './reached.ts';
import { isSplit, type Experiment, type OnLostRank } from './lab.ts';

/** What keeps the other ranks from going on when one is lost: a member of the experiment. */
export function cannotGoOn(
  experiment: Experiment,
): 'script' | 'backend' | 'syncBatchNorm' | 'data' | undefined {
  if (experiment.script !== undefined) return 'script';
  if (experiment.backend === 'nccl') return 'backend';
  if (experiment.syncBatchNorm === true) return 'syncBatchNorm';
  return isSplit(experiment.data) ? 'data' : undefined;
}

/** Whether the others go on by default, where the ranks are several and exchange over Gloo. */
export const goesOnByDefault = (experiment: Experiment): boolean =>
  cannotGoOn(experiment) === undefined && clusterOf({ experiment }) === undefined;

/** The policy of a run. @param backend what its ranks exchange over */
export function lostRankPolicy(
  experiment: Experiment,
  { backend, ranks }: { readonly backend: Experiment['backend']; readonly ranks: number },
): OnLostRank {
  const goesOn = goesOnByDefault(experiment) && backend === 'gloo' && ranks > 1;
  return experiment.onLostRank ?? (goesOn ? 'continue' : 'stop');
}
