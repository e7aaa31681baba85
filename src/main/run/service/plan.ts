/** What a run decides once, when it starts: how its ranks synchronise, and in which order they stand. Pure. */
import { advise, autoSync } from '../../../shared/cost/auto-sync.ts';
import { costModel, isProblem, type Estimate } from '../../../shared/cost/estimate.ts';
import { isOneProcess, type LabDocument } from '../../../shared/lab/lab.ts';
import type { RunEstimate } from '../../../shared/run/run.ts';
import type { KnownCompute } from './contract.ts';

export interface RunPlan {
  /** As the run takes it: its synchronisation is never `auto`. */
  readonly lab: LabDocument;
  /** Ids of the nodes that train, as their ranks stand. */
  readonly nodeOrder: string[] | undefined;
  readonly estimate: RunEstimate | undefined;
}

const plainSync = 'allreduce';

/**
 * It stands in the run's record from then on, so that a resumed run keeps its ranks and its mode. Where nothing can be
 * estimated (the drawn links do not join the nodes, say) ranks stand as drawn, and `auto` is the exact all-reduce.
 */
export function planRun(drawn: LabDocument, known: KnownCompute, linksAreReal = true): RunPlan {
  const asked = drawn.experiment.sync;
  // One process exchanges nothing, and what several replicas in it cost is in no model.
  if (isOneProcess(drawn))
    return { lab: withSync(drawn, plainSync), nodeOrder: undefined, estimate: undefined };
  const input = { lab: drawn, measured: known.compute, localCpus: known.localCpus, linksAreReal };
  const model = costModel(input);
  const advice = advise(input);
  if (isProblem(model) || 'code' in advice) {
    const sync = asked === autoSync ? plainSync : asked;
    return { lab: withSync(drawn, sync), nodeOrder: undefined, estimate: undefined };
  }
  const chosen = asked === autoSync ? advice.chosen : model.of(asked);
  return {
    lab: withSync(drawn, chosen?.sync ?? asked),
    nodeOrder: [...model.order],
    estimate:
      chosen === undefined
        ? undefined
        : {
            ...recordOf(chosen),
            asked,
            plainSecondsPerStep: advice.plain.secondsPerStep,
            ...(asked === autoSync ? { reason: advice.reason } : {}),
          },
  };
}

const withSync = (lab: LabDocument, sync: string): LabDocument => ({
  ...lab,
  experiment: { ...lab.experiment, sync },
});

const recordOf = (chosen: Estimate): Omit<RunEstimate, 'asked' | 'plainSecondsPerStep'> => ({
  sync: chosen.sync,
  secondsPerStep: chosen.secondsPerStep,
  computeSeconds: chosen.computeSeconds,
  communicationSeconds: chosen.communicationSeconds,
  bytesPerStep: chosen.bytesPerStep,
  computeMeasured: chosen.measured !== undefined,
  ...(chosen.bottleneck === undefined ? {} : { bottleneck: [...chosen.bottleneck.ends] }),
});
