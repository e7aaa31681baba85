/** Resolves what a run decides once, at its start: the mode of synchronisation and the order of its ranks. Pure. */
import { advise, autoSync } from '../../../shared/cost/auto-sync.ts';
import { costModel, isProblem, type Estimate } from '../../../shared/cost/estimate.ts';
import { checkLab, hasErrors } from '../../../shared/lab/lab-check.ts';
import { isOneProcess, type LabDocument } from '../../../shared/lab/lab.ts';
import type { RunEstimate } from '../../../shared/run/run.ts';
import type { KnownCompute } from './contract.ts';

export interface RunPlan {
  /** The lab of the run: its synchronisation is never `auto`. */
  readonly lab: LabDocument;
  /** Ids of the training nodes, in the order of their ranks. */
  readonly nodeOrder: string[] | undefined;
  readonly estimate: RunEstimate | undefined;
}

const plainSync = 'allreduce';

/**
 * The result is stored in the run's record, so that a resumed run keeps its ranks and its mode. Where nothing can be
 * estimated (the nodes are not connected, say) ranks are in drawing order, and `auto` is the exact all-reduce.
 */
export function planRun(drawn: LabDocument, known: KnownCompute, linksAreReal = true): RunPlan {
  const asked = drawn.experiment.sync;
  // What a script exchanges is not known.
  if (drawn.experiment.script !== undefined) return { lab: drawn, nodeOrder: undefined, estimate: undefined };
  // One process exchanges nothing, and the cost of several replicas in it is not modelled.
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

/** The lab with the mode that `auto` chose for another run, where it leaves the choice and this mode suits it. */
export function withMode(lab: LabDocument, mode: string | undefined): LabDocument {
  if (mode === undefined || lab.experiment.sync !== autoSync || isOneProcess(lab)) return lab;
  const kept = withSync(lab, mode);
  return hasErrors(checkLab(kept)) ? lab : kept;
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
  // Of equal links none is to blame alone.
  ...(chosen.bottleneck?.alike.size === 1 ? { bottleneck: [...chosen.bottleneck.ends] } : {}),
});
