/** What the node is. Read anew each time: memory, disk and packages change. */
import type { Clock } from '../node/clock.ts';
import { describeFacts, parseFacts, type NodeReport } from '../node/facts.ts';
import { factsScript } from '../node/facts-script.ts';
import { lastWords, type NodeShell } from '../node/node-shell.ts';
import { reachedFrom } from '../node/outward.ts';
import type { Step } from '../engine/step.ts';

/** One command on the node. Throws node_unsupported, facts_unreadable, home_missing. */
export async function readFacts(shell: NodeShell, clock: Clock): Promise<NodeReport> {
  const before = clock.now();
  const result = await shell.ask(factsScript, {
    label: 'read the facts (facts-script.ts)',
    timeoutMs: 90_000,
  });
  const output = result.stdout === '' ? lastWords(result) : result.stdout;
  const { asked = before, answered = clock.now() } = result;
  return parseFacts(output, { before: asked / 1000, after: answered / 1000 });
}

export interface FactsStepOptions {
  /** Also tries what the node would download from. */
  readonly outward?: boolean;
  /** Fails where the app's folder cannot lie in the home folder: home_missing, home_read_only, home_noexec. */
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
