/** A dry run and 'Remove Ringlab from this node', through the provisioner, on a node of files. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createAsker } from './testing/asker.ts';
import { createBench, labOf, type Bench } from './testing/bench.ts';
import { freePort } from './testing/free-port.ts';

let bench: Bench | undefined;
afterEach(() => bench?.close());

const shapes = { type: 'shapes', train: 20, validation: 10, size: 16, seed: 3 } as const;

test('a dry run names each command and changes nothing; prepared, nothing is left to do', async () => {
  bench = createBench();
  const lab = labOf(['anna'], { port: await freePort(), data: shapes });
  const [plan] = await bench.provisioner.plan(lab);
  expect(plan?.steps.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'reach done',
    'facts done',
    'driver done',
    'libraries done',
    'trainer change',
    'verify change',
    'data change',
  ]);
  const commands = plan!.steps.flatMap(({ changes }) => changes.map(({ command }) => command)).join('\n');
  expect(commands).toMatch(/upload .*ringlab-train → .*\.ringlab\/trainers\//);
  expect(commands).toMatch(/make-shapes .*shapes-16-20-10-3 --train 20 --val 10/);
  expect(readdirSync(await bench.shell('n0').home())).toEqual([]);
  await bench.provisioner.prepare(lab);
  const [after] = await bench.provisioner.plan(lab);
  expect(after?.steps.every(({ state }) => state === 'done')).toBe(true);
});

test('everything goes after it was listed and allowed; refused, everything stays; it can be prepared again', async () => {
  let allowed = false;
  const asker = createAsker(() => ({ kind: allowed ? 'accept' : 'refuse' }));
  bench = createBench({ trainer: 'stand-in', provisioner: { prompter: asker } });
  const folder = join(bench.folder, 'images');
  for (const part of ['train', 'val']) mkdirSync(join(folder, part, 'cat'), { recursive: true });
  const lab = labOf(['anna'], { port: await freePort(), data: { type: 'folder', path: folder } });
  const ready = await bench.provisioner.prepare(lab);
  const own = join(ready.nodes[0]!.facts.home, '.ringlab');
  await expect(bench.provisioner.remove(lab, 'n0')).rejects.toMatchObject({
    code: 'consent_refused',
    where: 'anna',
  });
  expect(existsSync(own)).toBe(true);
  expect(asker.questions).toMatchObject([
    { kind: 'consent', changes: [{ command: expect.stringMatching(/^rm -rf .*\/\.ringlab$/) as string }] },
  ]);
  allowed = true;
  expect((await bench.provisioner.remove(lab, 'n0')).freedBytes).toBeGreaterThan(0);
  expect(existsSync(own)).toBe(false);
  expect(existsSync(folder)).toBe(true);
  expect(bench.provisioner.status(lab)[0]?.state).toBe('unknown');
  // Nothing is left to ask about.
  expect(await bench.provisioner.remove(lab, 'n0')).toEqual({ freedBytes: 0, stays: [] });
  await bench.provisioner.prepare(lab);
  expect(existsSync(own)).toBe(true);
});

test('a node with a live run is left alone', async () => {
  bench = createBench({ trainer: 'stand-in' });
  const home = join(bench.folder, 'nodes', 'n0');
  const rank = join(home, '.ringlab', 'runs', 'r1', 'rank-0');
  mkdirSync(rank, { recursive: true });
  const process = spawn('sleep', ['60'], { cwd: rank });
  try {
    writeFileSync(join(rank, 'pid'), `${process.pid ?? 0}\n`);
    await expect(bench.provisioner.remove(labOf(['anna']), 'n0')).rejects.toMatchObject({
      code: 'node_in_use',
      params: { runs: 'runs/r1/rank-0' },
    });
    expect(existsSync(rank)).toBe(true);
  } finally {
    process.kill();
  }
});
