/** What the node is. Read anew each time: memory, disk and packages change. */
import type { Clock } from '../clock.ts';
import { describeFacts, parseFacts, type NodeReport } from '../facts.ts';
import { factsScript } from '../facts-script.ts';
import { lastWords, type NodeShell } from '../node-shell.ts';
import type { Step } from '../step.ts';

/** One command on the node. Throws node_unsupported, command_failed. */
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

export function createFactsStep(clock: Clock): Step {
  const read: Step['verify'] = async ({ shell, work }) => {
    const report = await readFacts(shell, clock);
    work.facts = report.facts;
    work.libtorch = report.libtorch;
    return describeFacts(report.facts);
  };
  const foresee: Step['foresee'] = () => Promise.resolve([factsScript]);
  return { id: 'facts', foresee, check: read, apply: () => Promise.resolve(), verify: read };
}
