/** What a preparation would do on one node, step by step. */
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodePlan, PlannedStep } from '../../../shared/node/provision.ts';
import { planStep, type StepRun } from '../engine/engine.ts';
import type { NodeWork, Step } from '../engine/step.ts';

/** @param run of a step, with what the steps before it found */
export async function planNode(
  list: readonly Step[],
  node: LabNode,
  run: (work: NodeWork) => StepRun,
): Promise<NodePlan> {
  const work: NodeWork = {};
  const planned: PlannedStep[] = [];
  for (const step of list) {
    const one = await planStep(step, run(work));
    planned.push(one);
    // Without a connection or facts nothing can be planned.
    if (one.state === 'blocked' && (step.id === 'reach' || step.id === 'facts')) break;
  }
  return { nodeId: node.id, nodeName: node.name, steps: planned };
}
