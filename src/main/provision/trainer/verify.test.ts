/** Tests the verify step with fake trainers that answer as the real one does in each state. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell, type LocalShell } from '../../ssh/testing/local-shell.ts';
import { diagnose } from '../diagnoses/diagnoses.ts';
import { planStep, runStep, type StepRun } from '../engine/engine.ts';
import { systemClock } from '../../base/clock.ts';
import { NodeStatus } from '../node/readiness.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import type { Libtorch } from '../node/libtorch.ts';
import { verifyStep } from './verify.ts';
import { createAsker } from '../testing/asker.ts';
import { labOf, trainerBinary } from '../testing/bench.ts';

let home = '';
let shell: LocalShell;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringlab-verify-'));
  shell = createLocalShell({ home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const facts = {
  kernel: '6.1.0-28-amd64',
  driver: '535.183.01',
  gpus: [0, 1].map((index) => ({ index, name: 'NVIDIA H200', pciId: `00000000:0${index}:00.0` })),
  nvidia: { works: true },
} as Partial<NodeFacts> as NodeFacts; // only these fields are read
const cuda: Libtorch = { version: '2.4.1', cuda: '12.4', abi: 'cxx11' };

function trainer(script: string): string {
  mkdirSync(join(home, 't'), { recursive: true });
  const path = join(home, 't', 'ringlab-train');
  writeFileSync(path, script, { mode: 0o755 });
  writeFileSync(`${path}.sha256`, 'c0ffee\n');
  return path;
}
const saying = (object: unknown, code = 0, stderr = ''): string =>
  `#!/bin/sh\necho "$*" >> ${home}/asked\n[ -z '${stderr}' ] || echo '${stderr}' >&2\necho '${JSON.stringify(object)}'\nexit ${code}\n`;
const passed = (count: number) => ({
  v: 1,
  kind: 'verify',
  ok: true,
  libtorch: '2.4.1',
  backend: 'nccl',
  seconds: 3.14,
  devices: Array.from({ length: count }, (_, index) => ({
    device: `cuda:${index}`,
    ok: true,
    seconds: 1.5,
    name: 'NVIDIA H200',
  })),
});
const asked = (): string[] => readFileSync(join(home, 'asked'), 'utf8').trim().split('\n');

async function verified(
  path: string,
  change: { facts?: NodeFacts; libtorch?: Libtorch; redo?: boolean } = {},
) {
  const run = runOf(path, change);
  await runStep(verifyStep, run);
  return run.status.step('verify').snapshot();
}
function runOf(
  path: string | undefined,
  change: { facts?: NodeFacts; libtorch?: Libtorch; redo?: boolean } = {},
): StepRun {
  const lab = labOf(['anna']);
  const node: LabNode = { ...lab.nodes[0]!, kind: 'gpu' };
  const none = (): void => undefined;
  return {
    lab,
    node,
    status: new NodeStatus(lab.id, node.id, none, none),
    work: { facts: change.facts ?? facts, libtorch: change.libtorch ?? cuda, ...(path && { trainer: path }) },
    signal: new AbortController().signal,
    clock: systemClock,
    redo: change.redo ?? false,
    connect: () => Promise.resolve(shell),
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }),
  };
}

test('the real trainer passes on the CPU, and a ready node is not verified again', async () => {
  const path = join(home, 'ringlab-train');
  writeFileSync(path, readFileSync(trainerBinary), { mode: 0o755 });
  writeFileSync(`${path}.sha256`, 'c0ffee\n');
  const system: Libtorch = { version: '1.13.1', abi: 'cxx11' };
  const first = await verified(path, { libtorch: system });
  expect(first).toMatchObject({ state: 'done', alreadyThere: false });
  expect(first.summary.en).toMatch(/^cpu · gloo · [\d.]+ s$/);
  const second = await verified(path, { libtorch: system });
  expect(second).toMatchObject({ state: 'done', alreadyThere: true, summary: first.summary });
  expect(shell.scripts.filter((script) => script.includes('verify --gpus'))).toHaveLength(1);
});

test('GPUs of different kinds are named each', async () => {
  const names = ['NVIDIA H200', 'NVIDIA A30', 'NVIDIA A30'];
  const devices = names.map((name, index) => ({ device: `cuda:${index}`, ok: true, seconds: 1, name }));
  const { summary } = await verified(trainer(saying({ ...passed(0), devices })));
  expect(summary.en).toBe('1 × NVIDIA H200, 2 × NVIDIA A30 · nccl · 3.1 s');
});

test('every GPU of a rank is verified once; a changed driver, kernel, libtorch or trainer is verified again', async () => {
  const path = trainer(saying(passed(2)));
  expect((await verified(path)).summary.en).toBe('2 × NVIDIA H200 · nccl · 3.1 s');
  await verified(path);
  expect(asked()).toEqual(['verify --gpus 2']);
  await verified(path, { facts: { ...facts, driver: '550.54.15' } });
  await verified(path, { facts: { ...facts, kernel: '6.1.0-29-amd64' } });
  await verified(path, { libtorch: { ...cuda, cuda: '12.6' } });
  expect(asked()).toHaveLength(4);
  writeFileSync(`${path}.sha256`, 'decaf\n');
  await verified(path);
  await verified(path);
  expect(asked()).toHaveLength(5);
  await verified(path, { redo: true });
  expect(asked()).toHaveLength(6);
});

test('two labs that verify one node at the same time both record it', async () => {
  // Neither moves its record before the other has written its own.
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'mv'),
    `#!/bin/sh\necho x >> ${home}/moves\nuntil [ "$(wc -l < ${home}/moves)" -ge 2 ]; do sleep 0.01; done\nexec /bin/mv "$@"\n`,
    { mode: 0o755 },
  );
  shell = createLocalShell({ home, path: `${bin}:${process.env.PATH ?? ''}` });
  const path = trainer(saying(passed(2)));
  const both = await Promise.all([verified(path), verified(path)]);
  expect(both.map(({ state }) => state)).toEqual(['done', 'done']);
  expect(readdirSync(join(home, 't')).sort()).toEqual([
    'ringlab-train',
    'ringlab-train.sha256',
    'ringlab-train.verified',
  ]);
});

test('a device that fails is reported with its check and diagnosis, and nothing is recorded', async () => {
  const failed = {
    ...passed(2),
    ok: false,
    devices: [
      { device: 'cuda:0', ok: true },
      {
        device: 'cuda:1',
        ok: false,
        failed: 'convolution',
        error: 'CUDA error: no kernel image is available for execution on the device',
      },
    ],
  };
  const path = trainer(saying(failed, 1));
  const run = runOf(path);
  await expect(runStep(verifyStep, run)).rejects.toMatchObject({
    code: 'verification_failed',
    params: { device: 'cuda:1', check: 'convolution' },
    where: 'anna',
  });
  const record = run.status.step('verify').snapshot();
  expect(record.diagnoses?.[0]?.code).toBe('cuda.architecture');
  await expect(verified(path)).rejects.toBeInstanceOf(RinglabError);
  expect(asked()).toHaveLength(2);
});

test('NCCL’s messages on the other output are diagnosed, too', async () => {
  const failed = {
    ...passed(1),
    ok: false,
    devices: [
      { device: 'cuda:0', ok: false, failed: 'allreduce', error: 'NCCL error: unhandled system error' },
    ],
  };
  const warning = 'n2:5120:5120 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found';
  const run = runOf(trainer(saying(failed, 1, warning)));
  await expect(runStep(verifyStep, run)).rejects.toMatchObject({ params: { check: 'allreduce' } });
  expect(
    run.status
      .step('verify')
      .snapshot()
      .diagnoses?.map(({ code }) => code),
  ).toContain('nccl.interface');
});

test('a processor without the needed instructions is named, even if the trainer has no output', async () => {
  const run = runOf(trainer('#!/bin/sh\nkill -s ILL $$\n'), { libtorch: { version: '2.4.1', abi: 'cxx11' } });
  const failed = runStep(verifyStep, run);
  await expect(failed).rejects.toMatchObject({ params: { device: 'cpu', check: 'start' } });
  await failed.catch((error: unknown) =>
    expect(diagnose((error as RinglabError).detail ?? '').map(({ code }) => code)).toContain(
      'system.illegal_instruction',
    ),
  );
});

test('a dry run shows the command, and starts nothing', async () => {
  // The trainer is not known before it is sent or built: described in words.
  const unknown = await planStep(verifyStep, runOf(undefined));
  expect(unknown).toMatchObject({ state: 'change', changes: [{ command: '' }, { command: '' }] });
  expect(shell.scripts).toEqual([]);
  const path = trainer(saying(passed(2)));
  const planned = await planStep(verifyStep, runOf(path));
  expect(planned.changes[0]?.command).toMatch(/timeout -k 5 180 .*ringlab-train'? verify --gpus 2$/);
  expect(existsSync(join(home, 'asked'))).toBe(false);
});
