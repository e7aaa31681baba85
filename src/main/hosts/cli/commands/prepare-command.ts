/** `ringlab prepare LAB [--dry-run]`: prepares a lab's nodes, or prints the plan. */
import { lineIn } from '../../../../shared/base/phrase.ts';
import { errorLines } from '../../../../shared/i18n/error-texts.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { NodePlan } from '../../../../shared/node/provision.ts';
import { sayPreparation } from '../preparation-progress.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { language, speak } from '../speak.ts';

/** 0 where every node is ready (or, in a dry run, could be), 1 otherwise. */
export async function prepareCommand(
  lab: LabDocument,
  options: SessionOptions,
  dryRun: boolean,
  print: (line: string) => void,
): Promise<number> {
  return await withSession(options, async ({ api, concerns }) => {
    concerns(lab.id);
    if (dryRun) return printPlans(await api.call('provision.plan', { lab }), print);
    // It may take many minutes, of a driver or a trainer.
    const prepared = sayPreparation(lab.id, (line) => void process.stderr.write(`${line}\n`));
    const stop = api.subscribe((event) => {
      if (event.name === 'provision.changed') prepared(event.data.readiness);
    });
    const nodes = await api.call('provision.prepare', { lab }).finally(stop);
    for (const { nodeId, state, steps } of nodes) {
      print(`${lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId}: ${state}`);
      for (const step of steps) {
        const { id, instead, state: stepState, summary, startedAt = 0, endedAt = startedAt, error } = step;
        print(
          `  ${(instead ?? id).padEnd(10)}${stepState.padEnd(10)}${(endedAt - startedAt).toFixed(1).padStart(7)} s  ${summary[language]}`,
        );
        if (error === undefined) continue;
        for (const line of errorLines(error, language)) print(`  ${line}`);
        for (const { cause, remedy } of step.diagnoses ?? [])
          print(`  ${cause[language]} ${remedy[language]}`);
      }
    }
    return nodes.every(({ state }) => state === 'ready') ? 0 : 1;
  });
}

/** 0 where no step is blocked. */
export function printPlans(plans: readonly NodePlan[], print: (line: string) => void): number {
  for (const plan of plans) describePlan(plan).forEach(print);
  return plans.every(({ steps }) => steps.every(({ state }) => state !== 'blocked')) ? 0 : 1;
}

/** Comments and complete commands as a readable script; what depends on an earlier step is only a comment. */
export function describePlan({ nodeName, steps }: NodePlan): string[] {
  return [
    `# ${nodeName}`,
    ...steps.flatMap(({ id, instead, state, summary, changes, error }) => [
      `## ${instead ?? id}: ${state === 'done' ? summary[language] : state === 'change' ? speak('cli.plan.change') : describeBlock(error)}`,
      ...changes.flatMap(({ what, command }) => [
        `# ${what[language]}`,
        ...(command === '' ? [] : [lineIn(command, language)]),
      ]),
    ]),
  ];
}

const describeBlock = (error: NodePlan['steps'][number]['error']): string =>
  error === undefined
    ? speak('cli.plan.blocked')
    : speak('cli.plan.blockedBy', { error: errorLines(error, language).join('\n# ') });
