/** The facts step: reads the node's facts each time, since memory, disk and packages change. */
import type { Clock } from '../../base/clock.ts';
import { describeFacts } from '../node/facts.ts';
import { factsScript } from '../node/facts-script.ts';
import { readFacts } from '../node/read-facts.ts';
import { reachedFrom } from '../node/outward.ts';
import type { Step } from '../engine/step.ts';

export interface FactsStepOptions {
  /** Also tests the node's download addresses. */
  readonly outward?: boolean;
  /** Fails where the app's folder cannot be in the home folder: home_missing, home_read_only, home_noexec. */
  readonly usable?: boolean;
}

export function createFactsStep(
  clock: Clock,
  { outward = false, usable = false }: FactsStepOptions = {},
): Step {
  const read: Step['verify'] = async ({ shell, work, lab, node }) => {
    const report = await readFacts(shell, clock);
    if (usable && report.homeFault !== undefined) throw report.homeFault;
    // A local node has this computer's connection.
    const tried = outward && node.access.type !== 'local' ? await reachedFrom(shell, lab) : [];
    work.facts = { ...report.facts, ...(tried.length === 0 ? {} : { internet: tried }) };
    work.libtorch = report.libtorch;
    return describeFacts(report.facts);
  };
  const foresee: Step['foresee'] = () => Promise.resolve([factsScript]);
  return { id: 'facts', foresee, check: read, apply: () => Promise.resolve(), verify: read };
}
