/** For tests: a lab of three small nodes that trains on a cluster, and what each cluster must do with it. */
import { expect } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../shared/lab/lab.ts';
import type { ClusterTarget } from '../../../../shared/lab/where.ts';
import type { RealBench } from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';

/** Steps of an epoch. */
const steps = 3;

/**
 * Three drawn nodes of this computer, whose run is a job of the cluster.
 * @param cpus of each node
 */
export function clusterLab(where: ClusterTarget, { epochs = 2, cpus = 1 } = {}): LabDocument {
  const lab = emptyLab(`lab-${where.type}`, 'On a cluster');
  lab.nodes = ['a', 'b', 'c'].map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: { ...defaultPlacement('cpu'), cpus, memoryGb: 1 },
    access: { type: 'local' },
  }));
  lab.experiment = {
    ...lab.experiment,
    architecture: 'shufflenet_v2_x0_5',
    data: { type: 'shapes', train: 60, validation: 30, size: 16, seed: 1 },
    epochs,
    batchSize: 21,
    where,
  };
  return lab;
}

/** Starts the lab of two epochs and waits for its end: every line of ranks and monitors is stored. Returns the run's id. */
export async function runsToItsEnd(bench: RealBench): Promise<string> {
  const { runId } = await bench.app.runs.start(bench.lab);
  const run = await bench.until(runId, 'finished');
  expect(run).toMatchObject({ epochsCompleted: 2, step: 2 * steps });
  expect(run.ranks.map(({ nodeId, state }) => [nodeId, state])).toEqual([
    ['a', 'done'],
    ['b', 'done'],
    ['c', 'done'],
  ]);
  for (const { rank } of run.ranks)
    expect(stepsOf(await linesOf(bench.app.store, runId, `rank-${rank}`))).toEqual(counting(2 * steps));
  for (const id of ['a', 'b', 'c'])
    expect(
      (await linesOf(bench.app.store, runId, `monitor-${id}`)).some(({ kind }) => kind === 'sample'),
    ).toBe(true);
  return runId;
}

/**
 * Stops the lab of four epochs, resumes it, and restarts the app meanwhile: one curve.
 * @param whileStopped called when the run is stopped
 */
export async function stopsAndResumes(
  bench: RealBench,
  whileStopped: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { runId } = await bench.app.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 2);
  await bench.app.runs.stop(runId);
  const stopped = await bench.until(runId, 'stopped');
  expect(stopped.ranks.map((rank) => rank.exit?.code)).toEqual([7, 7, 7]);
  await whileStopped();
  await bench.app.runs.resume(runId);
  await bench.until(runId, (run) => run.step > stopped.step);
  await bench.restart();
  const run = await bench.until(runId, 'finished');
  expect(run).toMatchObject({ attempt: 2, epochsCompleted: 4, step: 4 * steps });
  for (const { rank } of run.ranks) {
    const seqs = (await linesOf(bench.app.store, runId, `rank-${rank}`)).map(({ seq }) => seq);
    expect(seqs).toEqual(counting(seqs.length));
  }
}
