/** Says how far the preparation of nodes is: a line for each step that has ended, and for what one waits for. */
import type { NodeReadiness, StepRecord } from '../../../shared/node/provision.ts';
import { inLanguage, speak } from './speak.ts';

const underWay: ReadonlySet<StepRecord['state']> = new Set(['checking', 'applying', 'verifying']);

/** @returns takes each state of a node; those of other labs are passed over */
export function sayPreparation(
  labOf: string,
  say: (line: string) => void,
): (readiness: NodeReadiness) => void {
  const steps = new Map<string, string>();
  return ({ labId, nodeId, steps: records }) => {
    if (labId !== labOf) return;
    for (const step of records) {
      const key = `${nodeId}/${step.id}`;
      const word =
        step.state !== 'done'
          ? speak('cli.progress.failed')
          : step.alreadyThere
            ? speak('cli.progress.there')
            : speak('cli.progress.ready');
      // Only what it waits for is said before its end.
      const waits = underWay.has(step.state) ? inLanguage(step.summary) : '';
      const seen = `${step.state} ${waits}`;
      if (step.state === 'waiting' || steps.get(key) === seen) continue;
      steps.set(key, seen);
      if (waits !== '') say(`${nodeId} ${step.instead ?? step.id}: ${waits}`);
      if (step.state === 'done' || step.state === 'failed')
        say(`${nodeId} ${step.instead ?? step.id}: ${word} ${inLanguage(step.summary)}`.trimEnd());
    }
  };
}
