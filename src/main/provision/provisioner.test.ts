import { existsSync, readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createBench, labOf, type Bench, type BenchOptions } from './testing/bench.ts';
import { freePort } from './testing/free-port.ts';

let bench: Bench | undefined;
const start = (options?: BenchOptions): Bench => {
  bench = createBench(options);
  return bench;
};
afterEach(() => bench?.close());

test('three bare nodes become ready, and a second time there is nothing to do', async () => {
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
    ['reach', 'facts', 'libraries', 'trainer', 'data', 'network'].map((id) => `${id} done`),
  );
  expect(status[0]?.steps.find(({ id }) => id === 'trainer')).toMatchObject({ alreadyThere: false });
  expect(changes.at(-1)?.state).toBe('ready');

  const sent = shell('n0').uploads.length;
  await provisioner.prepare(lab);
  expect(shell('n0').uploads.length).toBe(sent);
  expect(provisioner.status(lab)[0]?.steps.map(({ alreadyThere }) => alreadyThere)).toEqual(
    Array.from({ length: 6 }, () => true),
  );
});
