/**
 * Training over slow links with what the app's `auto` takes on them, against Python's DistributedDataParallel: this asks
 * `auto`, native/bench/links.py measures and says how. The last line is one JSON object. Needs root (network namespaces).
 *
 * npm run --silent bench:links [-- [--quick] [--shape chain|star|ring] [--nodes N] [--mbps N] [--sync MODE] [--hard] [--json FILE]]
 *
 * `--mbps 0`: links that nothing shapes. `--sync` measures another mode than `auto`'s. `--quick` ends within ten minutes.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { resolveSync } from '../src/shared/cost/auto-sync.ts';
import type { LabDocument } from '../src/shared/lab/lab.ts';
import { chain, ring, star } from '../src/shared/lab/topology.fixture.ts';

const project = resolve(import.meta.dirname, '..');
const shapes: Record<string, (nodes: number, mbps: number) => LabDocument> = { chain, ring, star };
/** As native/bench/accuracy.py trains. */
const picturesPerRank = 32;
const pictures = { train: 4032, validation: 1000, size: 32 };
const defaultEpochs = 16;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    hard: { type: 'boolean', default: false },
    shape: { type: 'string', default: 'chain' },
    nodes: { type: 'string', default: '3' },
    mbps: { type: 'string', default: '10' },
    sync: { type: 'string', default: 'auto' },
    epochs: { type: 'string' },
    json: { type: 'string' },
  },
});
const draw = shapes[values.shape];
const nodes = Number(values.nodes);
const mbps = Number(values.mbps);
if (draw === undefined || !(nodes >= 2) || !(mbps >= 0)) {
  throw new Error(
    '--shape is chain, star or ring, --nodes at least 2, --mbps a number, 0 for links that nothing shapes',
  );
}
const drawn = draw(nodes, mbps);
const lab: LabDocument = {
  ...drawn,
  experiment: {
    ...drawn.experiment,
    sync: values.sync,
    batchSize: nodes * picturesPerRank,
    // How many steps there will be decides how long local steps may be.
    epochs: Number(values.epochs ?? defaultEpochs),
    data: { type: 'shapes', seed: 1, ...pictures },
  },
};
const found = resolveSync({ lab, localCpus: availableParallelism(), linksAreReal: mbps > 0 });
if ('code' in found) throw new Error(`no mode for these links: ${JSON.stringify(found)}`);
if (found.advice !== undefined) {
  const { weighed, reason } = found.advice;
  const seconds = weighed.map((one) => `${one.sync} ${one.secondsPerStep.toFixed(2)} s`).join(', ');
  process.stdout.write(`auto takes ${found.sync} (${reason}); foreseen a step: ${seconds}\n`);
}
const { status } = spawnSync(
  // Debian's own: python3-torch is its.
  '/usr/bin/python3',
  [
    '-B',
    join(project, 'native', 'bench', 'links.py'),
    join(project, 'native', 'build', 'ringlab-train'),
    ...['--mode', found.sync, '--shape', values.shape, '--nodes', values.nodes, '--mbps', values.mbps],
    ...['--train', String(pictures.train)],
    ...(values.epochs === undefined ? [] : ['--epochs', values.epochs]),
    ...(values.json === undefined ? [] : ['--json', values.json]),
    ...(values.quick ? ['--quick'] : []),
    ...(values.hard ? ['--hard'] : []),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
