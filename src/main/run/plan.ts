/** What a run decides once, when it starts: how its ranks synchronise, and in which order they stand. Pure. */
import { advise, autoSync } from '../../shared/auto-sync.ts';
import { costModel, isProblem, type Estimate } from '../../shared/estimate.ts';
import type { LabDocument } from '../../shared/lab.ts';
import type { RunEstimate } from '../../shared/run.ts';
import type { KnownCompute } from './contract.ts';

export interface RunPlan {
  /** As the run takes it: its nodes in the order of their ranks, its synchronisation never `auto`. */
  readonly lab: LabDocument;
  readonly estimate: RunEstimate | undefined;
}

const plainSync = 'allreduce';

/**
 * It stands in the run's record from then on, so that a resumed run keeps its ranks and its mode. Where nothing can be
 * estimated (the drawn links do not join the nodes, say) ranks stand as drawn, and `auto` is the exact all-reduce.
 */
export function planRun(drawn: LabDocument, known: KnownCompute): RunPlan {
  const asked = drawn.experiment.sync;
  const input = { lab: drawn, measured: known.compute, localCpus: known.localCpus };
  const model = costModel(input);
  const advice = advise(input);
  if (isProblem(model) || 'code' in advice)
    return { lab: withSync(drawn, asked === autoSync ? plainSync : asked), estimate: undefined };
  const places = new Map(model.order.map((id, place) => [id, place]));
  // Switches have no rank: they come last, as they were.
  const placeOf = (id: string): number => places.get(id) ?? places.size;
  const nodes = [...drawn.nodes].sort((a, b) => placeOf(a.id) - placeOf(b.id));
  const chosen = asked === autoSync ? advice.chosen : model.of(asked);
  return {
    lab: withSync({ ...drawn, nodes }, chosen?.sync ?? asked),
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
