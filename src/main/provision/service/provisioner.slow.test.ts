import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { stepIds } from '../../../shared/node/provision.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';
import { createBench, labOf, type Bench, type BenchOptions } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let bench: Bench | undefined;
const start = (options?: BenchOptions): Bench => {
  bench = createBench(options);
  return bench;
};
afterEach(() => bench?.close());

test('three bare nodes become ready, and a second preparation has nothing to do', async () => {
  const { provisioner, shell, changes } = start();
  const port = await freePort();
  const lab = labOf(['anna', 'berta', '赤 "c"'], { port });
  const ready = await provisioner.prepare(lab);
  expect(ready.master).toEqual({ host: '127.0.0.1', port });
  expect(ready.nodes.map(({ node }) => node.name)).toEqual(['anna', 'berta', '赤 "c"']);
  for (const { trainer, data, facts, processes, address } of ready.nodes) {
    expect(trainer.startsWith(`${facts.home}/.ringlab/trainers/`)).toBe(true);
    expect(existsSync(trainer)).toBe(true);
    expect(data).toBe(`${facts.home}/.ringlab/data/shapes-16-20-10-3`);
    expect(readdirSync(`${data}/train`).length).toBe(10);
    expect(processes).toBe(1);
    expect(address).toBe('127.0.0.1');
  }
  const status = provisioner.status(lab);
  expect(status.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  expect(status[0]?.steps.map(({ id, state }) => `${id} ${state}`)).toEqual(
    stepIds.map((id) => `${id} done`),
  );
  expect(status[0]?.steps.find(({ id }) => id === 'trainer')).toMatchObject({ alreadyThere: false });
  expect(changes.at(-1)?.state).toBe('ready');

  const sent = shell('n0').uploads.length;
  await provisioner.prepare(lab);
  expect(shell('n0').uploads.length).toBe(sent);
  expect(provisioner.status(lab)[0]?.steps.map(({ alreadyThere }) => alreadyThere)).toEqual(
    Array.from({ length: stepIds.length }, () => true),
  );
});

test('the first node is prepared again before the others are ready: both preparations end well', async () => {
  const { provisioner } = start();
  const lab = labOf(['anna', 'berta', 'carla'], { port: await freePort() });
  const [whole, again] = await Promise.all([
    provisioner.prepare(lab),
    provisioner.prepare(lab, { nodeIds: ['n0'] }),
  ]);
  expect(whole.nodes).toHaveLength(3);
  expect(again.nodes.length).toBeGreaterThan(0);
});

const withoutData = async (names: string[], path = '/nowhere/at all') =>
  labOf(names, { port: await freePort(), data: { type: 'folder', path } });

test('all nodes are prepared to their end; the first error is returned, the others are shown on their nodes', async () => {
  const { provisioner } = start({ trainer: 'stand-in' });
  const lab = await withoutData(['anna', 'berta', 'carla']);
  await expect(provisioner.prepare(lab)).rejects.toMatchObject({ code: 'data_missing', where: 'anna' });
  for (const { state, steps } of provisioner.status(lab)) {
    expect(state).toBe('failed');
    expect(steps.map((step) => step.state)).toEqual([
      ...['done', 'done', 'done', 'done', 'done', 'done'],
      ...['failed', 'waiting', 'waiting'],
    ]);
    expect(steps.find(({ id }) => id === 'data')?.error).toMatchObject({ code: 'data_missing' });
  }
});

test('if rank 0’s node fails, the others are ready except for the network, and show why they wait', async () => {
  const { provisioner } = start({
    trainer: 'stand-in',
    shell: (nodeId, home) => {
      for (const part of ['train', 'val']) {
        if (nodeId !== 'n0') mkdirSync(join(home, 'data', part, 'cat'), { recursive: true });
      }
      return {};
    },
  });
  const lab = await withoutData(['anna', 'berta'], '~/data');
  await expect(provisioner.prepare(lab)).rejects.toMatchObject({ code: 'data_missing', where: 'anna' });
  const [, berta] = provisioner.status(lab);
  expect(berta).toMatchObject({ state: 'cancelled' });
  expect(linesIn(berta?.steps.at(-1)?.log ?? [], 'en')).toContain('another node failed');
  // Repaired, only that node is prepared; the other completes its phase.
  for (const part of ['train', 'val']) {
    mkdirSync(join(bench!.folder, 'nodes', 'n0', 'data', part, 'cat'), { recursive: true });
  }
  await provisioner.prepare(lab, { nodeIds: ['n0'] });
  const ready = await provisioner.prepare(lab, { nodeIds: ['n1'] });
  expect(ready.nodes.map(({ node }) => node.name)).toEqual(['berta']);
  expect(provisioner.status(lab).map(({ state }) => state)).toEqual(['ready', 'ready']);
});

test('at most the limit of nodes are prepared at once', async () => {
  let max = 0;
  let open = 0;
  const { provisioner } = start({
    trainer: 'stand-in',
    provisioner: { limit: 2 },
    shell: () => ({
      // The facts are a node's first script, the class count its last.
      before(script) {
        if (script.includes('/proc/cpuinfo')) open += 1;
        max = Math.max(max, open);
        if (script.includes('for part in train val')) open -= 1;
      },
    }),
  });
  const lab = await withoutData(['a', 'b', 'c', 'd', 'e']);
  await expect(provisioner.prepare(lab)).rejects.toMatchObject({ code: 'data_missing' });
  expect(max).toBe(2);
});

test('a probe connects and reads the facts, and changes nothing on the node', async () => {
  const { provisioner, shell, folder } = start();
  const lab = labOf(['anna']);
  const facts = await provisioner.probe(lab, 'n0');
  expect(facts.home).toBe(join(folder, 'nodes', 'n0'));
  expect(readdirSync(facts.home)).toEqual([]);
  expect(shell('n0').scripts).toHaveLength(1);
  const [status] = provisioner.status(lab);
  expect(status).toMatchObject({ state: 'unknown', facts: { hostname: facts.hostname } });
  const looked = status?.steps.filter(({ state }) => state !== 'waiting');
  expect(looked?.map(({ id, state }) => `${id} ${state}`)).toEqual(['reach done', 'facts done']);
  await expect(provisioner.probe(lab, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
});

test('a node that cannot be reached fails at its first step, under its name', async () => {
  const { provisioner } = start({
    provisioner: {
      reach: { session: () => Promise.reject(new RinglabError('host_unreachable', { host: '203.0.113.9' })) },
    },
  });
  const lab = labOf(['anna']);
  await expect(provisioner.prepare(lab)).rejects.toMatchObject({ code: 'host_unreachable', where: 'anna' });
  expect(provisioner.status(lab)[0]?.steps[0]).toMatchObject({ id: 'reach', state: 'failed' });
  await expect(provisioner.probe(lab, 'n0')).rejects.toMatchObject({
    code: 'host_unreachable',
    where: 'anna',
  });
});

test('as many processes as the experiment sets, or one per GPU found', async () => {
  const gpus = programsOnly(join(mkdtempSync(join(tmpdir(), 'ringlab-gpu-')), 'bin'), {
    'nvidia-smi': '#!/bin/sh\ncase "$*" in *query*) printf "0, A, 1, x, 1\\n1, A, 1, y, 1\\n";; esac\n',
  });
  const { provisioner } = start({
    trainer: 'stand-in',
    shell: (_, home) => {
      for (const part of ['train', 'val']) mkdirSync(join(home, 'data', part, 'cat'), { recursive: true });
      return { path: `${gpus}:${process.env.PATH ?? ''}` };
    },
  });
  const lab = await withoutData(['anna'], '~/data');
  expect((await provisioner.prepare(lab)).nodes[0]?.processes).toBe(2);
  const three = { ...lab, experiment: { ...lab.experiment, processesPerNode: 3 } };
  expect((await provisioner.prepare(three)).nodes[0]?.processes).toBe(3);
  rmSync(dirname(gpus), { recursive: true });
});
