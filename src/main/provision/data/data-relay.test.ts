/** Tests how a folder is distributed: once over the user's uplink, then from node to node. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { createBucketKeys, keepsNothing } from './bucket-keys.ts';
import { createFolderSwarm, type Holder } from './data-relay.ts';
import { createDataS3 } from './data-s3.ts';
import { createDataUpload } from './data-upload.ts';
import { createDataStep } from './data.ts';
import { planStep } from '../engine/engine.ts';
import { createFactsStep } from '../steps/facts.ts';
import { createAsker } from '../testing/asker.ts';
import { createBench, labOf, type Bench } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { systemClock } from '../../base/clock.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { createLocalShell, type LocalShell } from '../../ssh/testing/local-shell.ts';

let bench: Bench | undefined;
let folder = '';
afterEach(() => {
  bench?.close();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const never = (): never => {
  throw new Error('not asked for');
};
const holder = (name: string): Holder => ({ folder: name, nodeId: name }) as Partial<Holder> as Holder; // only its name is read

test('one node gets the folder first, the others from a node that has it; each sends to one at a time', async () => {
  const swarm = createFolderSwarm();
  const log: string[] = [];
  const giving = new Set<string>();
  const bring = (name: string): Promise<void> =>
    swarm.bring('k', {
      nodeId: name,
      before: [],
      first: () => Promise.resolve(log.push(`uplink → ${name}`)).then(() => holder(name)),
      async passOn(from) {
        expect(giving.has(from.folder)).toBe(false);
        giving.add(from.folder);
        await new Promise((resolve) => setTimeout(resolve, 5));
        giving.delete(from.folder);
        log.push(`${from.folder} → ${name}`);
        return holder(name);
      },
      signal,
      onFallback: never,
    });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(bring));
  expect(log.filter((line) => line.startsWith('uplink'))).toEqual(['uplink → a']);
  expect(log).toHaveLength(5);
});

test('if the first node fails, the next one becomes first; if relaying fails, this computer sends', async () => {
  const swarm = createFolderSwarm();
  const firsts: string[] = [];
  const bring = (name: string, fails: boolean): Promise<void> =>
    swarm.bring('k', {
      nodeId: name,
      before: [],
      async first() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        firsts.push(name);
        if (fails) throw new Error('lost');
        return holder(name);
      },
      passOn: () => Promise.reject(new Error('no way')),
      signal,
      onFallback: (error) => firsts.push(String(error)),
    });
  const results = await Promise.allSettled([bring('a', true), bring('b', false), bring('c', false)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(firsts).toEqual(['a', 'b', 'Error: no way', 'c']);
});

const bringing = (name: string, before: string[], log: string[]) => ({
  nodeId: name,
  before,
  first: () => Promise.resolve(log.push(`uplink → ${name}`)).then(() => holder(name)),
  passOn: (from: Holder) => Promise.resolve(log.push(`${from.folder} → ${name}`)).then(() => holder(name)),
  signal,
  onFallback: never,
});

test('the node that has started an upload before is first again, whatever the order of requests', async () => {
  const swarm = createFolderSwarm(Date.now, 60_000);
  const log: string[] = [];
  const later = [
    swarm.bring('k', bringing('b', ['a'], log)),
    swarm.bring('k', bringing('c', ['a', 'b'], log)),
  ];
  await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all([...later, swarm.bring('k', bringing('a', [], log))]);
  expect(log[0]).toBe('uplink → a');
  expect(log.filter((line) => line.startsWith('uplink'))).toHaveLength(1);
});

test('a node that lost its connection during its upload is waited for, and resumes', async () => {
  const swarm = createFolderSwarm(Date.now, 60_000);
  const log: string[] = [];
  const lost = swarm.bring('k', {
    ...bringing('a', [], log),
    first: () => Promise.reject(new Error('connection lost')),
  });
  const b = swarm.bring('k', bringing('b', ['a'], log));
  await expect(lost).rejects.toThrow('connection lost');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await swarm.bring('k', bringing('a', [], log));
  await b;
  expect(log).toEqual(['uplink → a', 'a → b']);
});

test('a node that has the folder sends it; a node that does not return is waited for only briefly', async () => {
  const swarm = createFolderSwarm(Date.now, 50);
  const log: string[] = [];
  const b = swarm.bring('k', bringing('b', ['a'], log));
  swarm.offer('k', holder('a'));
  await b;
  await swarm.bring('other', bringing('b', ['a'], log));
  expect(log).toEqual(['a → b', 'uplink → b']);
});

test('an interrupted relay is resumed from a node, not from this computer', async () => {
  const swarm = createFolderSwarm(Date.now, 50);
  const log: string[] = [];
  swarm.offer('k', holder('a'));
  const broken = ['broke', 'broke'];
  await swarm.bring('k', {
    ...bringing('b', ['a'], log),
    passOn(from, began) {
      began();
      const word = broken.shift();
      log.push(word ?? `${from.folder} → b`);
      return word === undefined ? Promise.resolve(holder('b')) : Promise.reject(new Error(word));
    },
    onFallback: () => undefined,
  });
  expect(log).toEqual(['broke', 'broke', 'a → b']);
});

test.each([
  ['', new RinglabError('connection_lost', { host: 'b' })],
  [
    ' to the jump host',
    new RinglabError(
      'jump_failed',
      { hop: 'u@gate:22' },
      { cause: new RinglabError('connection_lost', { host: 'gate' }) },
    ),
  ],
])('a lost connection%s does not change which nodes have the folder', async (_, lost) => {
  const swarm = createFolderSwarm(Date.now, 50);
  const log: string[] = [];
  swarm.offer('k', holder('a'));
  await expect(
    swarm.bring('k', { ...bringing('b', ['a'], log), passOn: () => Promise.reject(lost) }),
  ).rejects.toBe(lost);
  await swarm.bring('k', bringing('b', ['a'], log));
  expect(log).toEqual(['a → b']);
});

const access = {
  type: 'ssh',
  host: '127.0.0.1',
  port: 22,
  user: 'u',
  authentication: { method: 'agent' },
} as const;
const overSsh = (lab: LabDocument): LabDocument => ({
  ...lab,
  nodes: lab.nodes.map((node) => ({ ...node, access })),
});

/** A hundred files in the class folders of a data set. */
function writePets(path: string, fileBytes: number): void {
  for (let index = 0; index < 100; index += 1) {
    const place = join(path, index % 5 === 0 ? 'val' : 'train', `class-${index % 4}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${index}.jpg`), randomBytes(fileBytes));
  }
}
const uplinkOf = (shell: LocalShell): number =>
  shell.stdins.reduce((all, one) => all + one, 0) +
  shell.uploads.filter(({ path }) => path.includes('/data/')).reduce((all, { sent }) => all + sent, 0);

test('three nodes over SSH: the folder crosses the uplink once, at most 1.05 times its size', async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-swarm-'));
  const path = join(folder, 'pets');
  const bytes = 100 * 60_000;
  writePets(path, 60_000);
  bench = createBench({ trainer: 'stand-in' });
  const lab = overSsh(labOf(['a', 'b', 'c'], { port: await freePort(), data: { type: 'upload', path } }));
  const ready = await bench.provisioner.prepare(lab);
  expect(ready.nodes.map(({ data }) => data.split('/').at(-1)?.slice(0, 5))).toEqual([
    'pets-',
    'pets-',
    'pets-',
  ]);
  const uplink = [...bench.shells.values()].reduce((sum, shell) => sum + uplinkOf(shell), 0);
  expect(uplink).toBeGreaterThan(bytes);
  expect(uplink).toBeLessThan(bytes * 1.05);
});

test('nodes of an encrypted lab get the folder from this computer alone, and pass it on to no other lab', async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-swarm-'));
  const path = join(folder, 'pets');
  const bytes = 100 * 6000;
  writePets(path, 6000);
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  const step = createDataStep(createDataUpload(folder), createDataS3(keys));
  const labWith = (encrypt: boolean): LabDocument => {
    const lab = overSsh(labOf(['a', 'b'], { encrypt, data: { type: 'upload', path } }));
    return { ...lab, nodes: lab.nodes.map((node) => ({ ...node, id: `${node.id}-${encrypt}` })) };
  };
  const prepare = async (lab: LabDocument, index: number): Promise<{ plan: string; uplink: number }> => {
    const node = lab.nodes[index];
    if (node === undefined) throw new Error('not in the lab');
    const home = join(folder, 'nodes', node.id);
    mkdirSync(home, { recursive: true });
    const shell = createLocalShell({ home, name: node.name });
    const run = stepRun(lab, shell, { node });
    await runSteps([createFactsStep(systemClock)], run);
    const plan = (await planStep(step, run)).changes.map(({ what }) => what.en).join();
    expect(await runSteps([step], run)).toBeUndefined();
    // Once more, as for the next run: now the step finds the folder there.
    expect(await runSteps([step], run)).toBeUndefined();
    return { plan, uplink: uplinkOf(shell) };
  };
  const secret = labWith(true);
  const sent = [await prepare(secret, 0), await prepare(secret, 1)];
  for (const { uplink } of sent) expect(uplink).toBeGreaterThan(bytes);
  for (const { plan } of sent) expect(plan).not.toContain('from another node');
  const open = labWith(false);
  expect((await prepare(open, 0)).uplink).toBeGreaterThan(bytes);
  const passedOn = await prepare(open, 1);
  expect(passedOn.plan).toContain('from another node');
  expect(passedOn.uplink).toBeLessThan(bytes / 2);
});
