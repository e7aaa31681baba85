/** `npm run demo`: trains the example lab in the terminal and exports model_best, checkpoint, metrics and a chart. */
import { ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';
import { hasTrainer } from './setup/native.mjs';
import { inProject } from './setup/project.mjs';
import { localNodesNeed, thisSystem } from './setup/system.mjs';

const out = inProject('ringlab-out', 'demo');

/** @param {string} line @returns {number} the exit code */
function without(line) {
  process.stderr.write(`${line}\n`);
  return 1;
}

await main(async () => {
  const { name, support } = thisSystem();
  if (support !== 'complete' && !hasTrainer())
    return without(`${name}: the demo cannot train here. ${localNodesNeed}`);
  const { node } = await setUp({ lenient: true, purpose: 'app' });
  if (!hasTrainer())
    return without('The demo cannot train here: no trainer could be built. What to do stands above.');
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
