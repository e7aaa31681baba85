/**
 * Measures an own script over slow links: samples a second with DistributedDataParallel and with `ringlab.slow`, on local
 * nodes in a chain of shaped links (root); then what both learn in equally many steps, on links that nothing shapes.
 * The Python is RINGLAB_SCRIPTS_PYTHON, else this system's. Arguments: transformer or resnet18, nodes (2), Mbps (10).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../src/main/app/create-app.ts';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { newDataFolder, project, removeDataFolder } from '../e2e/app-process.ts';
import type { LabDocument } from '../src/shared/lab/lab.ts';
import { isEnded, type RunRecord } from '../src/shared/run/run.ts';
import { scriptLab } from './local-nodes.ts';
import { report } from './measure.ts';

const model = process.argv[2] ?? 'transformer';
const nodes = Number(process.argv[3] ?? 2);
const mbps = Number(process.argv[4] ?? 10);
const python = process.env.RINGLAB_SCRIPTS_PYTHON;
/** An all-reduce of resnet18 takes half a minute over 10 Mbps. */
const rate = { transformer: '--ddp-steps 8 --steps 100', resnet18: '--ddp-steps 2 --steps 40' };
const learning = { transformer: '--steps 300', resnet18: '--steps 150' };
if (model !== 'transformer' && model !== 'resnet18')
  throw new Error(`transformer or resnet18, not “${model}”`);

/** What rank 0 said of one way of training. */
function figures(log: string, name: string): { rate: number; score: number } {
  const line = new RegExp(`^${name}: .* ([\\d.]+) samples a second, .* ([\\d.]+)$`, 'm').exec(log);
  if (line === null) throw new Error(`no line of ${name}:\n${log}`);
  return { rate: Number(line[1]), score: Number(line[2]) };
}

/** The log of rank 0. */
async function run(args: string, network: 'on' | 'off'): Promise<string> {
  process.env.RINGLAB_NETWORK = network;
  const folder = await newDataFolder();
  const base = scriptLab('A script over slow links', nodes, join(project, 'assets', 'scripts'), {
    file: 'slow_links.py',
    arguments: `--model ${model} ${args}`,
  });
  const lab: LabDocument = {
    ...base,
    links: base.nodes.slice(1).map((node, index) => ({
      id: `l${index}`,
      ends: [base.nodes[index]?.id ?? '', node.id],
      bandwidthMbps: mbps,
      delayMs: 0,
      lossPercent: 0,
    })),
    experiment: {
      ...base.experiment,
      ...(python === undefined ? {} : { runtime: { type: 'existing', path: python } }),
    },
  };
  const app = await createApp(await cliPlatform(folder));
  const ended = Promise.withResolvers<RunRecord>();
  app.services.events.subscribe((event) => {
    if (event.name === 'run.changed' && isEnded(event.data.run.state)) ended.resolve(event.data.run);
  });
  await app.services.runs.start(lab);
  const { state, ranks, error } = await ended.promise;
  if (network === 'on' && !(await app.services.networks.state(lab)).emulated)
    throw new Error('the drawn links are not emulated here: this needs root');
  const log = state === 'finished' ? readFileSync(join(ranks[0]?.directory ?? '', 'log.txt'), 'utf8') : '';
  await app.close();
  await removeDataFolder(folder);
  if (state !== 'finished') throw new Error(`the run ${state}: ${JSON.stringify(error)}`);
  return log;
}

const slow = await run(rate[model], 'on');
const chosen = /mode 'auto': .*it is '([^']+)'/.exec(slow)?.[1];
if (chosen === undefined) throw new Error(`no mode was chosen:\n${slow}`);
const equal = await run(`${learning[model]} --mode ${chosen}`, 'off');
const [ddp, ours] = [figures(slow, 'ddp'), figures(slow, 'slow')];
const score = model === 'transformer' ? 'perplexity' : 'accuracy, %';
report(`slow-script ${model}, ${nodes} nodes, ${mbps} Mbps, ${chosen}`, [
  { what: 'DistributedDataParallel, samples a second', goal: '', values: [ddp.rate], unit: '' },
  { what: 'ringlab.slow, samples a second', goal: '', values: [ours.rate], unit: '' },
  { what: 'as many times', goal: '50', values: [ours.rate / ddp.rate], unit: '×' },
  {
    what: `all-reduce, ${learning[model]}: ${score}`,
    goal: '',
    values: [figures(equal, 'ddp').score],
    unit: '',
  },
  {
    what: `ringlab.slow, as many: ${score}`,
    goal: model === 'transformer' ? '1 % more' : '0.5 points less',
    values: [figures(equal, 'slow').score],
    unit: '',
  },
]);
