/** Reads a node's facts with one command. */
import type { Clock } from '../../base/clock.ts';
import { parseFacts, type NodeReport } from './facts.ts';
import { factsScript } from './facts-script.ts';
import { lastWords, type NodeShell } from './node-shell.ts';
import { phrase } from '../../i18n/index.ts';

/** One command on the node. Throws node_unsupported, facts_unreadable, home_missing. */
export async function readFacts(shell: NodeShell, clock: Clock): Promise<NodeReport> {
  const before = clock.now();
  const result = await shell.ask(factsScript, {
    label: phrase('nodeCommands.facts'),
    // nvidia-smi is waited for twice: facts-script.ts.
    timeoutMs: 180_000,
  });
  const output = result.stdout === '' ? lastWords(result) : result.stdout;
  const { asked = before, answered = clock.now() } = result;
  return parseFacts(output, { before: asked / 1000, after: answered / 1000 });
}
