/** `npm run bench -- NAME`: runs one of the measurements in bench/; without a name, all of them. */
import { handOver } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { inProject } from './setup/project.mjs';
import { measurements } from './suites/measurements.mjs';

await main(async () => {
  const [name, ...rest] = process.argv.slice(2);
  const known = measurements();
  if (name !== undefined && !known.includes(name)) {
    process.stderr.write(`Unknown: ${name}. Measurements: ${known.join(', ')}\n`);
    return 2;
  }
  const { node } = await setUp({ quiet: true });
  let worst = 0;
  for (const chosen of name === undefined ? known : [name]) {
    const code = await handOver(node, [
      '--disable-warning=ExperimentalWarning',
      inProject('bench', `${chosen}.ts`),
      ...rest,
    ]);
    worst = Math.max(worst, code);
  }
  return worst;
});
