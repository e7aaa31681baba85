/** `npm run demo`: trains the example lab in the terminal and exports model_best, checkpoint, metrics and a chart. */
import { ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { inProject } from './setup/project.mjs';

const out = inProject('ringlab-out', 'demo');

await main(async () => {
  const { node } = await setUp();
  const code = await ringlab(node, [
    'run',
    inProject('assets', 'labs', 'three-local-nodes.lab.json'),
    '--out',
    out,
    '--chart',
    ...process.argv.slice(2),
  ]);
  if (code === 0) process.stderr.write(`The best model, the metrics and chart.svg are in ${out}\n`);
  return code;
});
