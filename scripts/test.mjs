/**
 * `npm test`: sets up, runs every suite, those of different lanes side by side where there are more than two cores, and says `N passed, N failed` in its last line.
 * `npm test -- --slow` runs the slow tests, too, as CI does.
 * `npm test -- unit` runs one suite; what follows `--` goes to it: `npm test -- unit -- src/main/ssh`.
 */
import { availableParallelism } from 'node:os';
import { describeFailure } from './setup/failure.mjs';
import { main, setUp } from './setup/index.mjs';
import { formatSeconds } from './setup/progress.mjs';
import { failureLines, lastLine, sum } from './suites/counts.mjs';
import { inLanes, inOnePiece } from './suites/lanes.mjs';
import { reports, suites } from './suites/suites.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const border = args.indexOf('--');
  const own = border < 0 ? args : args.slice(0, border);
  const names = own.filter((arg) => arg !== '--slow');
  const environment = own.includes('--slow') ? { RINGLAB_SLOW: '1' } : {};
  const rest = border < 0 ? [] : args.slice(border + 1);
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`Unknown: ${unknown.join(' ')}. The suites are:\n`);
    for (const { name, about } of suites) process.stderr.write(`  ${name.padEnd(8)}${about}\n`);
    return 2;
  }
  const start = performance.now();
  const { node } = await setUp();
  const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));
  // A single suite writes to the terminal directly.
  const pieces =
    chosen.length > 1
      ? inOnePiece(
          chosen.map(({ name }) => name),
          reports,
          (text) => process.stdout.write(text),
        )
      : undefined;
  const results = await inLanes(
    chosen,
    // Two cores have enough to do with one lane: side by side both take twice as long.
    ({ lane }) => (availableParallelism() > 2 ? lane : 0),
    async ({ name, about, run }) => {
      const output = pieces?.output(name);
      (output ?? process.stdout).write(`\n── ${name}: ${about}\n`);
      const suiteStart = performance.now();
      const counts = await run(node, rest, environment, output).catch((error) => {
        (output ?? process.stderr).write(`${describeFailure(error)}\n`);
        return { passed: 0, failed: 1, skipped: 0, failures: ['it could not be run'] };
      });
      pieces?.end(name);
      return { name, counts, seconds: (performance.now() - suiteStart) / 1000 };
    },
  );
  const total = sum(results.map(({ counts }) => counts));
  process.stdout.write('\n');
  for (const { name, counts } of results) process.stdout.write(failureLines(name, counts));
  for (const { name, counts, seconds } of results) {
    process.stdout.write(
      `${name.padEnd(8)}${String(counts.passed).padStart(5)} passed ${String(counts.failed).padStart(4)} failed ${String(counts.skipped).padStart(4)} skipped   ${formatSeconds(seconds)}\n`,
    );
  }
  process.stdout.write(
    `in ${formatSeconds((performance.now() - start) / 1000)}, set-up included\n${lastLine(total)}\n`,
  );
  return total.failed === 0 ? 0 : 1;
});
