/** `npm run bench -- NAME`: one of the measurements in bench/; without a name, all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { handOver } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { inProject } from './setup/project.mjs';

/** What exports something is a part of the measurements. */
const measurements = readdirSync(inProject('bench'))
  .filter((file) => file.endsWith('.ts') && !/^export /m.test(readFileSync(inProject('bench', file), 'utf8')))
  .map((file) => file.slice(0, -3))
  .sort();

await main(async () => {
  const [name, ...rest] = process.argv.slice(2);
  if (name !== undefined && !measurements.includes(name)) {
    process.stderr.write(`Unknown: ${name}. Measurements: ${measurements.join(', ')}\n`);
    return 2;
  }
  const { node } = await setUp({ quiet: true });
  let worst = 0;
  for (const chosen of name === undefined ? measurements : [name]) {
    const code = await handOver(node, [
      '--disable-warning=ExperimentalWarning',
      inProject('bench', `${chosen}.ts`),
      ...rest,
    ]);
    worst = Math.max(worst, code);
  }
  return worst;
});
