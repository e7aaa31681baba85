/** Tests which steps a lab on a cluster has, and the rows they are shown in. */
import { expect, it } from 'vitest';
import { placeOf, type Step, type StepWork } from '../engine/step.ts';
import { compileStep } from '../script/index.ts';
import { checkCluster } from '../steps/cluster.ts';
import { verifyStep } from '../trainer/verify.ts';
import { clusterSteps } from './cluster.ts';

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
