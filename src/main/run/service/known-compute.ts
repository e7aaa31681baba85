/** Finds the compute time of a step in the newest run with the same training on nodes of the same kind. */
import { availableParallelism } from 'node:os';
import { computeKey } from '../../../shared/cost/compute-time.ts';
import { rankCount } from '../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { metricNumber } from '../../../shared/metrics/metrics.ts';
import type { Store } from '../../store/index.ts';
import type { KnownCompute } from './contract.ts';

/** The first steps warm up caches and broadcast parameters. */
const warmSteps = 2;
const minSteps = 4;
/** Maximum number of runs that are read, from the newest: older ones say little. */
const maxRuns = 50;
const maxLines = 5000;

export async function knownCompute(
  store: Pick<Store, 'listRuns' | 'lines'>,
  lab: LabDocument,
): Promise<KnownCompute> {
  const localCpus = availableParallelism();
  // A script's steps are its own.
  if (lab.experiment.script !== undefined) return { localCpus };
  const sought = computeKey(withOwnNorms(lab));
  const runs = (await store.listRuns())
    .filter((run) => run.step >= minSteps && computeKey(run.lab) === sought)
    .sort((a, b) => b.createdAt - a.createdAt)
    .slice(0, maxRuns);
  for (const run of runs) {
    const points = await store.lines({ runId: run.id, kinds: ['step'], limit: maxLines });
    const ofRanks = new Map<string, number[]>();
    for (const { source, line } of points) {
      const [step, whole, waited] = [line.step, line.step_seconds, line.communication_seconds].map(
        metricNumber,
      );
      if (step === undefined || step < warmSteps || whole === undefined || waited === undefined) continue;
      ofRanks.set(source, [...(ofRanks.get(source) ?? []), whole - waited]);
    }
    const counts = [...ofRanks.values()];
    if (counts.length === 0 || counts.some((seconds) => seconds.length < minSteps - warmSteps)) continue;
    // All ranks wait for the slowest.
    const seconds = Math.max(...counts.map(median));
    if (Number.isFinite(seconds) && seconds > 0)
      return { localCpus, compute: { seconds, runId: run.id, runName: run.name } };
  }
  return { localCpus };
}

/** For many labs at once, as a sweep's: those that compute for the same time are looked up once. */
export function computeOnce(
  store: Parameters<typeof knownCompute>[0],
): (lab: LabDocument) => Promise<KnownCompute> {
  const known = new Map<string, Promise<KnownCompute>>();
  return (lab) => {
    const key = lab.experiment.script === undefined ? computeKey(withOwnNorms(lab)) : '';
    const found = known.get(key) ?? knownCompute(store, lab);
    known.set(key, found);
    return found;
  };
}

/**
 * Where ranks share their batch norms, steps count the waiting for one another as computing, and other links would get
 * these links' time: runs with the norms of each rank compute about as long.
 */
const withOwnNorms = (lab: LabDocument): LabDocument =>
  rankCount(lab) > 1 ? { ...lab, experiment: { ...lab.experiment, syncBatchNorm: false } } : lab;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}
