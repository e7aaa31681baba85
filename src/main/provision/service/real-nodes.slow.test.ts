/** End-to-end test without fakes: local nodes behind the app's own SSH servers, and Debian's sshd. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { stepIds } from '../../../shared/node/provision.ts';
import { createReach, type Reach } from '../../local/index.ts';
import { createSshPool, type SshPool } from '../../ssh/index.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import type { Provisioner } from './contract.ts';
import { createProvisioner } from './provisioner.ts';
import { createAsker } from '../testing/asker.ts';
import { describeAsCurrent, labOf, nativeSource, trainerBinary } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';

let folder = '';
let pool: SshPool;
let reach: Reach;
let provisioner: Provisioner;
let sshd: Sshd | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-real-'));
  const home = join(folder, 'person');
  const data = join(folder, 'app');
  mkdirSync(home);
  mkdirSync(data);
  pool = createSshPool({
    prompter: { ask: () => Promise.reject(new RinglabError('prompt_unanswered')) },
    secrets: {
      kind: 'memory',
      get: () => Promise.resolve(undefined),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    },
    home,
    dataFolder: data,
    agentSocket: undefined,
    systemKnownHosts: [],
  });
  reach = createReach({ pool, dataFolder: data });
  provisioner = createProvisioner({
    reach,
    events: { emit: () => undefined },
    paths: { nativeSource, trainerBinary, data, home },
    describeBinary: describeAsCurrent,
    prompter: createAsker(),
  });
});
afterEach(async () => {
  await reach.close();
  await pool.close();
  await sshd?.stop();
  sshd = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function imageFolder(path: string): string {
  for (const part of ['train', 'val']) {
    for (const name of ['cat', '狗']) {
      mkdirSync(join(path, part, name), { recursive: true });
      writeFileSync(join(path, part, name, '1.jpg'), `${part} ${name}`);
    }
  }
  return path;
}

test('three local nodes become ready with the real trainer, each in its own home', async () => {
  const lab = labOf(['anna', 'berta', 'carla'], { port: await freePort() });
  const ready = await provisioner.prepare(lab);
  expect(new Set(ready.nodes.map(({ facts }) => facts.home)).size).toBe(3);
  for (const { trainer, data } of ready.nodes) {
    expect(execFileSync(trainer, ['--version'], { encoding: 'utf8' })).toMatch(/^ringlab-train \d/);
    expect(readdirSync(join(data, 'train')).length).toBe(10);
  }
  expect(provisioner.status(lab).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
});

test('32 local nodes are probed at once, each with its own home (bench/ measures how long it takes)', async () => {
  const lab = labOf(Array.from({ length: 32 }, (_, index) => `node-${index}`));
  const facts = await Promise.all(lab.nodes.map(({ id }) => provisioner.probe(lab, id)));
  expect(new Set(facts.map(({ home }) => home)).size).toBe(32);
});

const overSsh = (server: Sshd, lab: LabDocument): LabDocument => ({
  ...lab,
  nodes: lab.nodes.map((node) => ({
    ...node,
    access: {
      type: 'ssh',
      host: server.host,
      port: server.port,
      user: server.user,
      authentication: { method: 'key', keyFile: server.keyFile },
    },
  })),
});

test('a node behind Debian’s sshd gets trainer and data, and keeps both after a lost connection', async () => {
  sshd = await startSshd({ bashrc: 'echo noise from .bashrc\n' });
  mkdirSync(join(folder, 'person', '.ssh'));
  writeFileSync(join(folder, 'person', '.ssh', 'known_hosts'), `${sshd.knownHostsLine}\n`);
  const path = imageFolder(join(folder, 'my pets'));
  const lab = overSsh(sshd, labOf(['remote'], { port: await freePort(), data: { type: 'upload', path } }));
  const ready = await provisioner.prepare(lab);
  expect(ready.nodes[0]?.data.startsWith(`${sshd.home}/.ringlab/data/my-pets-`)).toBe(true);
  execFileSync('diff', ['-r', join(path, 'train'), join(ready.nodes[0]!.data, 'train')]);
  sshd.dropConnections();
  await provisioner.prepare(lab);
  expect(provisioner.status(lab)[0]?.steps.map(({ alreadyThere }) => alreadyThere)).toEqual(
    Array.from({ length: stepIds.length }, () => true),
  );
});

test('cancelling sets a node to cancelled, not failed, and it can be prepared again', async () => {
  const stop = new AbortController();
  const lab = labOf(['anna', 'berta'], { port: await freePort() });
  const preparing = provisioner.prepare(lab, { signal: stop.signal });
  setTimeout(() => stop.abort(), 150);
  await expect(preparing).rejects.toMatchObject({ code: 'cancelled' });
  const cancelled = provisioner.status(lab);
  expect(cancelled.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  expect(cancelled.flatMap(({ steps }) => steps).some(({ state }) => state === 'failed')).toBe(false);
  await provisioner.prepare(lab);
  expect(provisioner.status(lab).map(({ state }) => state)).toEqual(['ready', 'ready']);
});
