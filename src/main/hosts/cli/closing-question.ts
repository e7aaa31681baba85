/** Asks at the terminal what is to become of the runs under way where the app is about to end. */
import { createInterface } from 'node:readline/promises';
import type { ClosingQuestion } from '../../app/closing.ts';
import { typedLine } from '../terminal-door.ts';
import { speak } from './speak.ts';

/** @param input the terminal */
export const closingQuestion =
  (input: NodeJS.ReadableStream = process.stdin): ClosingQuestion =>
  async (runs) => {
    process.stderr.write(`\n${speak('cli.serve.underWay', { runs: runs.map(({ name }) => name) })} `);
    const lines = createInterface({ input, output: typedLine(false), terminal: true });
    // Ctrl+C and Ctrl+D choose the default: runs keep running.
    const interrupted = new Promise<string>((resolve) => lines.once('SIGINT', () => resolve('k')));
    const typed = lines.question('').catch(() => 'k');
    const answer = (await Promise.race([typed, interrupted])).trim().toLowerCase();
    lines.close();
    return answer.startsWith('s') ? 'stop' : answer.startsWith('c') ? 'stay' : 'keep';
  };
