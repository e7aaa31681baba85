/** `ringlab prepare LAB [--dry-run]`: the nodes of a lab to ready, or what that would take. */
import { describeError } from '../../../shared/error-texts.ts';
import { isCancelled } from '../../../shared/errors.ts';
import type { LabDocument } from '../../../shared/lab.ts';
import type { NodePlan } from '../../../shared/provision.ts';
import { openApp } from './open.ts';

/** 0 where every node is ready (or, in a dry run, could be), 1 where one is not. */
export async function prepareCommand(
  lab: LabDocument,
  options: Omit<Parameters<typeof openApp>[0], 'out'>,
  dryRun: boolean,
  print: (line: string) => void,
): Promise<number> {
  const app = await openApp({ ...options, out: '.' });
  const { provisioner } = app.services;
  try {
    if (dryRun) {
      const plans = await provisioner.plan(lab);
      for (const plan of plans) describePlan(plan).forEach(print);
      return plans.every(({ steps }) => steps.every(({ state }) => state !== 'blocked')) ? 0 : 1;
    }
    await provisioner.prepare(lab).catch((error: unknown) => {
      // How each node fared is said below, with its own error.
      if (isCancelled(error)) throw error;
    });
    const nodes = provisioner.status(lab);
    for (const { nodeId, state, steps } of nodes) {
      print(`${lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId}: ${state}`);
      for (const { id, state: stepState, summary, startedAt = 0, endedAt = startedAt, error } of steps) {
        print(
          `  ${id.padEnd(10)}${stepState.padEnd(10)}${(endedAt - startedAt).toFixed(1).padStart(7)} s  ${summary.en}`,
        );
        if (error === undefined) continue;
        const { message, hint } = describeError(error, 'en');
        print(`  ${message} ${hint}`);
      }
    }
    return nodes.every(({ state }) => state === 'ready') ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Comments and commands, as a script that a person could read. */
export function describePlan({ nodeName, steps }: NodePlan): string[] {
  return [
    `# ${nodeName}`,
    ...steps.flatMap(({ id, state, summary, changes, error }) => [
      `## ${id}: ${state === 'done' ? summary.en : state === 'change' ? 'would be done' : describeBlock(error)}`,
      ...changes.flatMap(({ what, command }) => [`# ${what.en}`, command]),
    ]),
  ];
}

const describeBlock = (error: NodePlan['steps'][number]['error']): string =>
  error === undefined ? 'blocked' : `blocked: ${describeError(error, 'en').message}`;
