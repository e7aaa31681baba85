/**
 * Tests the set-up on a new machine: a Debian with git, Node and npm only. A clean clone sets itself up despite
 * interruptions, opens, runs the demo, and passes its own tests.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, root } from '../setup/project.mjs';
import { debianChroot, inChroot, noChroot } from './chroot.mjs';
import { sum } from './counts.mjs';

/** The clone's path inside the chroot. */
const clone = '/root/ringlab';

/** @typedef {'bookworm' | 'trixie'} Suite Debian 12, Debian 13 */

export const bareDebian = () => newMachine('bookworm');
export const bareDebian13 = () => newMachine('trixie');

/** @param {Suite} suite @returns {Promise<import('./counts.mjs').Counts>} */
async function newMachine(suite) {
  const reason = noChroot();
  if (reason !== undefined) {
    process.stdout.write(`skipped: ${reason}\n`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const machine = await makeMachine(suite);
  const results = [];
  const check = async (name, work) => {
    const problem = await work().catch((error) => String(error));
    process.stdout.write(problem === undefined ? `✓ ${name}\n` : `✗ ${name}: ${problem}\n`);
    results.push({
      passed: problem === undefined ? 1 : 0,
      failed: problem === undefined ? 0 : 1,
      skipped: 0,
    });
    return problem === undefined;
  };
  try {
    for (const [name, line, seconds] of [
      ['npm’s packages come', undefined, 4],
      ['Debian’s packages come', /✓ window/, 40],
      ['the trainer is compiled', /\b[1-9]\d*\/\d+ compiled/, 0],
    ]) {
      await check(`interrupted while ${name}, the set-up ends and says how to go on`, () =>
        interrupted(machine, ['node', 'scripts/setup.mjs'], line, seconds),
      );
    }
    const ready = await check('begun again, it goes on and is done', () =>
      succeeds(machine, ['npm', 'run', 'setup']),
    );
    if (ready) {
      await check('with nothing to do, it takes at most 2 s', () => nothingToDo(machine));
      await check('npm start serves the window', () => serves(machine));
      await check('npm run demo trains and leaves a model that Python opens', () => demo(machine));
      results.push(await ownTests(machine));
    }
  } finally {
    rmSync(machine.folder, { recursive: true, force: true });
  }
  return sum(results);
}

/**
 * @typedef {object} Machine
 * @property {string} folder
 * @property {Record<string, string>} env what this machine's network needs: npm's registry, proxies, certificates
 */

/** @param {Suite} suite @returns {Promise<Machine>} */
async function makeMachine(suite) {
  const progress = createProgress();
  const base = await debianChroot(progress, {
    name: `${suite}-git`,
    suite,
    sections: 'main',
    packages: ['ca-certificates', 'git'],
  });
  const folder = join(cacheFolder, 'chroots', `newcomer-${suite}`);
  rmSync(folder, { recursive: true, force: true });
  const copied = await runCommand('cp', ['-a', base.folder, folder]);
  if (copied.code !== 0)
    throw new SetupFailure(`${base.folder} could not be copied`, 'is the disk full?', copied.output);
  putNode(folder);
  // As `git clone` over the network does: committed files only.
  const cloned = await runCommand('git', ['clone', '--quiet', '--no-local', root, folder + clone]);
  if (cloned.code !== 0)
    throw new SetupFailure('the project could not be cloned', 'see git’s output', cloned.output);
  const env = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (
      /^(?:npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(key) &&
      value !== undefined
    )
      env[key] = value;
  }
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined && existsSync(certificates)) {
    mkdirSync(dirname(folder + certificates), { recursive: true });
    cpSync(certificates, folder + certificates, { dereference: true });
  }
  const registry = await runCommand('npm', ['config', 'get', 'registry', '--loglevel=error'], { cwd: '/' });
  if (registry.code === 0) env.npm_config_registry ??= registry.output.trim().split('\n').at(-1) ?? '';
  return { folder, env };
}

/** This machine's Node and npm, where an installer puts them. */
function putNode(folder) {
  const modules = join(folder, 'usr/local/lib/node_modules');
  cpSync(realpathSync(onPath('node')), join(folder, 'usr/local/bin/node'));
  cpSync(dirname(dirname(realpathSync(onPath('npm')))), join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, 'usr/local/bin', name));
}

/** The program in the shell's PATH; `npm run` puts the project's own Node before it. */
function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder.includes('node_modules')) continue;
    const path = join(folder, name);
    if (existsSync(path)) return path;
  }
  throw new SetupFailure(`${name} is not on the PATH`, 'install Node 20 or later');
}

/** @param {Machine} machine @param {readonly string[]} program */
const args = ({ folder, env }, program) =>
  inChroot(folder, ['env', ...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...program], {
    cwd: clone,
  });

/** @returns {Promise<string | undefined>} the problem */
async function succeeds(machine, program) {
  const { code, output } = await runCommand('unshare', args(machine, program), { onLine: log });
  return code === 0 ? undefined : `ended with ${code}\n${output.slice(-4000)}`;
}

const log = (line) => process.stdout.write(`  │ ${line}\n`);

/**
 * Sends Ctrl+C, as a terminal does to all processes, some seconds after a line (or the start).
 * @returns {Promise<string | undefined>}
 */
async function interrupted(machine, program, line, seconds) {
  const wait = () => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const { code, output, seen } = await until(machine, program, line ?? /^/, wait);
  if (!seen) return `nothing to interrupt: it ended with ${code} first\n${output.slice(-4000)}`;
  if (code !== 130) return `ended with ${code} rather than 130\n${output.slice(-4000)}`;
  return /goes on where it was/.test(output)
    ? undefined
    : `says nothing of how to go on: ${output.slice(-1000)}`;
}

/**
 * Runs a program in its own process group until a line appears, runs `work`, and interrupts the group.
 * @param {Machine} machine @param {readonly string[]} program @param {RegExp} line
 * @param {(found: RegExpExecArray) => Promise<void>} work
 * @returns {Promise<{ code: number | null, output: string, seen: boolean, problem?: string }>}
 */
function until(machine, program, line, work) {
  return new Promise((resolve) => {
    const child = spawn('unshare', args(machine, program), {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let seen = false;
    let problem;
    const look = () => {
      const found = seen ? null : line.exec(output);
      if (found === null) return;
      seen = true;
      void work(found)
        .catch((error) => (problem = String(error)))
        // The process may have ended already.
        .finally(() => child.exitCode === null && process.kill(-child.pid, 'SIGINT'));
    };
    look();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-200_000);
        look();
      });
    }
    child.once('close', (code) => resolve({ code, output, seen, problem }));
  });
}

async function nothingToDo(machine) {
  const times = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const { code, output } = await runCommand('unshare', args(machine, ['node', 'scripts/setup.mjs']));
    const seconds = Number(/Set-up done in ([\d.]+) s/.exec(output)?.[1] ?? Number.NaN);
    if (code !== 0 || Number.isNaN(seconds)) return `ended with ${code}\n${output.slice(-2000)}`;
    times.push(seconds);
  }
  return Math.min(...times) <= 2 ? undefined : `took ${times.join(', ')} s`;
}

async function serves(machine) {
  const { output, seen, problem } = await until(
    machine,
    ['npm', 'start'],
    /Ringlab: (http:\/\/127\.0\.0\.1:\d+\/\S*)/,
    async ([, address = '']) => {
      const answer = await fetch(address);
      const page = await answer.text();
      if (!answer.ok || !page.includes('<title>Ringlab'))
        throw new Error(`${answer.status} ${page.slice(0, 300)}`);
    },
  );
  return seen ? problem : `no address: ${output.slice(-4000)}`;
}

async function demo(machine) {
  const problem = await succeeds(machine, ['npm', 'run', 'demo']);
  if (problem !== undefined) return problem;
  const left = 'ringlab-out/demo';
  const chart = readFileSync(join(machine.folder, clone, left, 'chart.svg'), 'utf8');
  if (!chart.includes('<svg')) return 'chart.svg is no picture';
  const script = [
    'import sys, torch, torchvision',
    'saved = torch.load(sys.argv[1], map_location="cpu")',
    'torchvision.models.resnet18(num_classes=10).load_state_dict(saved["state_dict"])',
    'assert float(saved["best_acc1"]) > 60, saved["best_acc1"]',
  ].join('\n');
  return succeeds(machine, ['/usr/bin/python3', '-c', script, `${left}/model_best.pth.tar`]);
}

/** Runs `npm test` inside, and reads the counts from its last line. @returns {Promise<import('./counts.mjs').Counts>} */
async function ownTests(machine) {
  const { code, output } = await runCommand('unshare', args(machine, ['npm', 'test']), { onLine: log });
  const [, passed = '0', failed = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  const ended = code === 0 || Number(failed) > 0;
  return { passed: Number(passed), failed: Number(failed) + (ended ? 0 : 1), skipped: 0 };
}
