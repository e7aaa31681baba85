/**
 * `npm run test:full`: all of `npm test` and what takes too long for it, part by part. Parts that passed on exactly these
 * sources are skipped; `--again` runs them too. `npm run test:full -- sanitizers` runs one part, `--list` lists them
 * with when each last passed.
 */
import { main, setUp } from './setup/index.mjs';
import { formatSeconds } from './setup/progress.mjs';
import { createStamp, hashOf } from './setup/stamp.mjs';
import { failureLines, lastLine, sum } from './suites/counts.mjs';
import { parts } from './suites/parts.mjs';
import { commitNow, createRecord, recordLines } from './suites/record.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const record = createRecord();
  const everyName = parts.map(({ name }) => name);
  const names = args.filter((arg) => !arg.startsWith('--'));
  // Hours of tests must not begin because an option is misspelt.
  const unknown = args.filter((arg) => !['--list', '--again', ...everyName].includes(arg));
  if (args.includes('--list') || unknown.length > 0) {
    if (unknown.length > 0) process.stderr.write(`Unknown: ${unknown.join(' ')}. The parts are:\n`);
    for (const { name, about } of parts) process.stdout.write(`${name.padEnd(20)}${about}\n`);
    process.stdout.write(`\n${recordLines(everyName, new Map(), record.read()).join('')}`);
    return unknown.length > 0 ? 2 : 0;
  }
  const start = performance.now();
  const { node } = await setUp();
  const chosen = parts.filter(({ name }) => names.length === 0 || names.includes(name));
  const results = [];
  const now = new Map();
  for (const { name, about, inputs, run } of chosen) {
    const stamp = createStamp(`test-full-${name}`, []);
    const sources = hashOf(inputs);
    if (stamp.holds(sources) && !args.includes('--again')) {
      process.stdout.write(`\n── ${name}: passed already for these sources (--again runs it again)\n`);
      now.set(name, 'passed already');
      continue;
    }
    process.stdout.write(`\n── ${name}: ${about}\n`);
    const partStart = performance.now();
    const counts = await run(node);
    const seconds = (performance.now() - partStart) / 1000;
    process.stdout.write(
      `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${formatSeconds(seconds)}\n`,
    );
    now.set(name, counts.failed === 0 ? 'passed' : `${String(counts.failed)} failed`);
    if (counts.failed === 0) {
      stamp.write(sources);
      record.write(name, { commit: await commitNow(), at: new Date().toISOString(), seconds });
    }
    results.push({ name, counts });
  }
  const total = sum(results.map(({ counts }) => counts));
  process.stdout.write(`\n${recordLines(everyName, now, record.read()).join('')}`);
  for (const { name, counts } of results) process.stdout.write(failureLines(name, counts));
  process.stdout.write(`in ${formatSeconds((performance.now() - start) / 1000)}\n${lastLine(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});
