/** For tests: the context of a step: one node behind a shell, no user, empty stores. */
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import { systemClock } from '../../base/clock.ts';
import type { LocalShell } from '../../ssh/testing/local-shell.ts';
import { runStep, type StepRun } from '../engine/engine.ts';
import type { NodeWork, Step } from '../engine/step.ts';
import { NodeStatus } from '../node/readiness.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import { createAsker } from './asker.ts';

interface StepRunOptions {
  readonly node?: LabNode;
  /** The node that the status is of. */
  readonly nodeId?: string;
  readonly work?: NodeWork;
}

export function stepRun(
  lab: LabDocument,
  shell: LocalShell,
  { node = lab.nodes[0], nodeId, work = {} }: StepRunOptions = {},
): StepRun {
  if (node === undefined) throw new Error('a lab without a node');
  return {
    lab,
    node,
    status: new NodeStatus(
      lab.id,
      nodeId ?? node.id,
      () => undefined,
      () => undefined,
    ),
    work,
    signal: new AbortController().signal,
    clock: systemClock,
    redo: false,
    connect: () => Promise.resolve(shell),
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }),
  };
}

/** Runs every step, also after one has failed. Resolves with the last error. */
export async function runSteps(steps: readonly Step[], run: StepRun): Promise<unknown> {
  let failed: unknown;
  for (const step of steps) await runStep(step, run).catch((error: unknown) => (failed = error));
  return failed;
}
