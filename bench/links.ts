/**
 * Compares training over slow links, in the mode that the app's `auto` chooses, with Python's DistributedDataParallel. This file
 * asks `auto`; native/bench/links.py measures, and describes how. The last line is one JSON object. Needs root (namespaces).
 *
 * npm run --silent bench:links [-- [--quick] [--shape chain|star|ring] [--nodes N] [--mbps N] [--sync MODE] [--hard] [--json FILE]]
 *
 * `--mbps 0`: links without emulation. `--sync` measures the given mode. `--quick` ends within ten minutes.
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
/** The same training as native/bench/accuracy.py. */
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
    // The number of steps decides how long local steps may be.
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
  // Debian's own Python, which python3-torch belongs to.
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
