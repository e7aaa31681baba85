/** Tests which steps a lab on a cluster has, and the rows they are shown in. */
import { expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { placeOf, type Step, type StepWork } from '../engine/step.ts';
import { compileStep } from '../script/index.ts';
import { checkCluster } from '../steps/cluster.ts';
import { labOf } from '../testing/bench.ts';
import { verifyStep } from '../trainer/verify.ts';
import { clusterSteps, readyOnCluster } from './cluster.ts';

const work: StepWork = {
  check: () => Promise.resolve(undefined),
  apply: () => Promise.resolve(),
  verify: () => Promise.reject(new Error('not run here')),
};
const driver: Step = { ...work, id: 'driver' };
const code: Step = { ...work, id: 'code', place: 'data' };
const tunnel: Step = { ...work, id: 'tunnel' };
const shown = (steps: readonly Step[]): string[] =>
  steps.map((step) => {
    const { id, instead } = placeOf(step);
    return `${instead ?? id} in ${id}`;
  });

it('the cluster is asked in the row of the driver; what it decides itself has nothing to do, whoever’s step it is', () => {
  expect(shown(clusterSteps([driver, verifyStep, tunnel], checkCluster))).toEqual([
    'cluster in driver',
    'verify in verify',
    'tunnel in tunnel',
  ]);
  const steps = [code, driver, compileStep, tunnel];
  const there = clusterSteps(steps, checkCluster);
  expect(shown(there)).toEqual(['code in data', 'cluster in driver', 'verify in verify', 'tunnel in tunnel']);
  expect(there).not.toContain(compileStep);
  expect(clusterSteps(steps, checkCluster, true)).toContain(compileStep);
});

it('a node of a job has what is drawn: the limits are those of the login node or of the access pod', () => {
  const lab = labOf(['anna']);
  const nodes = lab.nodes.map((node) => ({ ...node, placement: { ...node.placement, cpus: 16 } }));
  const limits = { cpus: 0.5, memoryBytes: 1024 ** 3 };
  // What is read of the login node's facts.
  const facts = { home: '/home/anna', cpus: 2, bootId: 'b', limits } as NodeFacts;
  const ready = readyOnCluster(lab, nodes, { work: { facts, trainer: '/t', data: '/d' } });
  expect(ready.nodes[0]?.facts).toMatchObject({ cpus: 16 });
  expect(ready.nodes[0]?.facts.limits).toBeUndefined();
});
