/**
 * Compares training over slow links, in the mode that the app's `auto` chooses, with Python's DistributedDataParallel. This file
 * asks `auto`; native/bench/links.py measures, and describes how. The last line is one JSON object. Needs root (namespaces).
 *
 * npm run --silent bench:links [-- [--quick] [--task easy|hard|classes100] [--hard] [--seeds N] [--shape chain|star|ring] [--nodes N]
 *                                  [--mbps N] [--delay MS] [--sync MODE] [--arch NAME] [--epochs N] [--train N] [--json FILE]]
 *
 * `--hard` is `--task hard`. `--mbps 0`: links without emulation. `--sync` measures the given mode. `--quick` ends within ten minutes.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import tasks from '../native/bench/tasks.json' with { type: 'json' };
import { resolveSync } from '../src/shared/cost/auto-sync.ts';
import type { LabDocument } from '../src/shared/lab/lab.ts';
import { chain, ring, star } from '../src/shared/lab/topology.fixture.ts';

const project = resolve(import.meta.dirname, '..');
const shapes: Record<string, (nodes: number, mbps: number) => LabDocument> = { chain, ring, star };
/** The same training as native/bench/accuracy.py. */
const imagesPerRank = 32;
const images = { validation: 1000, size: 32 };
const taskNamed: Record<string, { train: number; epochs: number } | undefined> = tasks;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    hard: { type: 'boolean', default: false },
    task: { type: 'string' },
    seeds: { type: 'string' },
    arch: { type: 'string', default: 'resnet18' },
    train: { type: 'string' },
    shape: { type: 'string', default: 'chain' },
    nodes: { type: 'string', default: '3' },
    mbps: { type: 'string', default: '10' },
    delay: { type: 'string', default: '0' },
    sync: { type: 'string', default: 'auto' },
    epochs: { type: 'string' },
    json: { type: 'string' },
  },
});
const draw = shapes[values.shape];
const nodes = Number(values.nodes);
const mbps = Number(values.mbps);
const delayMs = Number(values.delay);
const taskName = values.task ?? (values.hard ? 'hard' : 'easy');
const task = taskNamed[taskName];
if (task === undefined || (values.hard && taskName !== 'hard')) {
  throw new Error(`--task is ${Object.keys(tasks).join(', ')}; --hard is --task hard`);
}
const seeds = values.seeds === undefined ? undefined : Number(values.seeds);
if (seeds !== undefined && !(Number.isInteger(seeds) && seeds >= 1)) throw new Error('--seeds is 1 or more');
const epochs = Number(values.epochs ?? task.epochs);
const train = Number(values.train ?? task.train);
if (draw === undefined || !(nodes >= 2) || !(mbps >= 0) || !(delayMs >= 0)) {
  throw new Error(
    '--shape is chain, star or ring, --nodes at least 2, --mbps a number, 0 for links that nothing shapes, --delay milliseconds',
  );
}
const plain = draw(nodes, mbps);
const drawn = { ...plain, links: plain.links.map((link) => ({ ...link, delayMs })) };
const lab: LabDocument = {
  ...drawn,
  experiment: {
    ...drawn.experiment,
    sync: values.sync,
    batchSize: nodes * imagesPerRank,
    // The number of steps decides how long local steps may be.
    epochs,
    architecture: values.arch,
    data: { type: 'shapes', seed: 1, train, ...images },
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
    ...['--delay', values.delay],
    ...['--task', taskName, '--train', String(train), '--epochs', String(epochs), '--arch', values.arch],
    ...(seeds === undefined ? [] : ['--seeds', String(seeds)]),
    ...(values.json === undefined ? [] : ['--json', values.json]),
    ...(values.quick ? ['--quick'] : []),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
