/** Tests dry run and 'Remove Ringlab from this node' through the provisioner, on a node made of files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runLasting, systemChange } from '../node/lasting.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { machineTag } from '../node/turn.ts';
import { StepStatus } from '../node/readiness.ts';
import { createAsker } from '../testing/asker.ts';
import { createBench, labOf, type Bench } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let bench: Bench | undefined;
afterEach(() => bench?.close());

const shapes = { type: 'shapes', train: 20, validation: 10, size: 16, seed: 3 } as const;

test('a dry run lists each command and changes nothing; after preparing, nothing is left to do', async () => {
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
    'tunnel done',
    'network done',
  ]);
  const commands = linesIn(
    plan!.steps.flatMap(({ changes }) => changes.map(({ command }) => command)),
    'en',
  );
  expect(commands).toMatch(/upload .*ringlab-train → .*\.ringlab\/trainers\//);
  expect(commands).toMatch(/make-shapes .*shapes-16-20-10-3 --train 20 --val 10/);
  expect(readdirSync(await bench.shell('n0').home())).toEqual([]);
  await bench.provisioner.prepare(lab);
  const [after] = await bench.provisioner.plan(lab);
  expect(after?.steps.every(({ state }) => state === 'done')).toBe(true);
});

test('after listing and consent everything is removed; if refused, nothing; the node can be prepared again', async () => {
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
  // Nothing is left that needs a consent.
  expect(await bench.provisioner.remove(lab, 'n0')).toEqual({ freedBytes: 0, stays: [] });
  await bench.provisioner.prepare(lab);
  expect(existsSync(own)).toBe(true);
});

/** A process record like that of the launcher and of an installation's supervisor. */
function recordOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `{"pid":${pid},"boot_id":"${boot}","start_ticks":${ticks},"attempt":1}\n`;
}

test('a node with an active run is left unchanged; once it has ended, the node is cleared', async () => {
  bench = createBench({ trainer: 'stand-in' });
  const home = join(bench.folder, 'nodes', 'n0');
  const rank = join(home, '.ringlab', 'runs', 'r1', 'rank-0');
  mkdirSync(rank, { recursive: true });
  const process = spawn('sleep', ['60'], { cwd: rank });
  const ended = once(process, 'exit');
  try {
    writeFileSync(join(rank, 'pid'), recordOf(process.pid ?? 0));
    await expect(bench.provisioner.remove(labOf(['anna']), 'n0')).rejects.toMatchObject({
      code: 'node_in_use',
      params: { runs: 'runs/r1/rank-0' },
    });
    expect(existsSync(rank)).toBe(true);
  } finally {
    process.kill();
  }
  await ended;
  await bench.provisioner.remove(labOf(['anna']), 'n0');
  expect(existsSync(rank)).toBe(false);
});

test('an installation is one process, also while its child has not begun its own program', async () => {
  bench = createBench({ trainer: 'stand-in' });
  const lab = labOf(['anna']);
  const { home } = await bench.provisioner.probe(lab, 'n0');
  const folder = join(home, '.ringlab', 'installing', 'system-00000000');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.77'), '( echo; sleep 60; : ) &\nwait\n');
  const installing = spawn('sh', [join(folder, 'run.77')], { detached: true });
  try {
    await once(installing.stdout, 'data');
    await expect(bench.provisioner.remove(lab, 'n0')).rejects.toMatchObject({
      code: 'installation_running',
      params: { what: `system (process ${installing.pid})` },
    });
  } finally {
    process.kill(-(installing.pid ?? 0), 'SIGKILL');
  }
});

test('a node with an active installation is left unchanged; once it has ended, the node is cleared', async () => {
  bench = createBench({ trainer: 'stand-in' });
  const lab = labOf(['anna']);
  const facts = await bench.provisioner.probe(lab, 'n0');
  const nothing = (): void => undefined;
  const shell = createNodeShell(
    bench.shell('n0'),
    new StepStatus('libraries', nothing, nothing),
    new AbortController().signal,
  );
  const go = join(bench.folder, 'go');
  const installing = runLasting({ shell, facts }, `while [ ! -e ${go} ]; do sleep 0.05; done`, systemChange, {
    label: 'install',
  });
  try {
    const folder = join(facts.home, '.ringlab', 'installing', `system-${machineTag(facts)}`);
    // Checks the content, since a file exists before it is written.
    await expect
      .poll(() => (existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8') : ''))
      .toContain('}');
    const { pid } = JSON.parse(readFileSync(join(folder, 'pid'), 'utf8')) as { pid: number };
    await expect(bench.provisioner.remove(lab, 'n0')).rejects.toMatchObject({
      code: 'installation_running',
      where: 'anna',
      params: { what: `system (process ${pid})` },
    });
    expect(existsSync(folder)).toBe(true);
  } finally {
    writeFileSync(go, '');
    await installing;
  }
  await bench.provisioner.remove(lab, 'n0');
  expect(existsSync(join(facts.home, '.ringlab'))).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)(
  'an installation run by root is found, too, although only root can read its record',
  async () => {
    bench = createBench({ trainer: 'stand-in' });
    const lab = labOf(['anna']);
    const { home } = await bench.provisioner.probe(lab, 'n0');
    const folder = `/run/ringlab${home}/system`;
    mkdirSync(folder, { recursive: true });
    const script = join(folder, 'run.7');
    writeFileSync(script, 'while sleep 0.1; do :; done\n');
    const supervisor = spawn('sh', [script, folder, 'key']);
    try {
      await once(supervisor, 'spawn');
      await expect(bench.provisioner.remove(lab, 'n0')).rejects.toMatchObject({
        code: 'installation_running',
        params: { what: `system (process ${supervisor.pid ?? 0})` },
      });
      // Another account's does not count.
      const other = createBench({ trainer: 'stand-in' });
      expect(await other.provisioner.remove(lab, 'n0')).toMatchObject({ stays: [] });
      other.close();
    } finally {
      supervisor.kill();
      rmSync(`/run/ringlab${home}`, { recursive: true });
    }
  },
);
