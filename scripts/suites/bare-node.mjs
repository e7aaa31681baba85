/**
 * Prepares bare machines from debootstrap over SSH and runs an experiment on them; prints the time of each step.
 * Debian 12 has this computer's libtorch and gets its trainer; trixie has another one, so that the node builds its own; the
 * third has no internet connection and is prepared from a bundle that was made on a machine like it.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { cacheFolder, cliBundle } from '../setup/project.mjs';
import { labFor, startMachine } from './bare-machine.mjs';
import { noChroot } from './chroot.mjs';
import { sum } from './counts.mjs';

const packages = /^apt -q install -y --no-install-recommends \$packages$/m;
const tries = /^# Try the trainer: memory, a convolution and an all-reduce of one rank\b/m;
const verified = /^ {2}verify\s+done\s.*cpu · gloo · /m;
const wasThere = /^ {2}trainer\s+done\s+\d\.\d s/m;

/** @param {string} node the program */
export const bareNode = (node) =>
  onMachines(node, 'bare-node', async (bench) => {
    const machine = await bench.machine({ suite: 'bookworm' });
    const lab = bench.lab(machine, 'bare-node');
    await bench.check('a dry run lists packages, trainer and trial, and changes nothing', async () => {
      const problem = await bench.says(
        [packages, /^# Send the trainer /m, tries],
        'prepare',
        lab,
        '--dry-run',
      );
      if (problem !== undefined) return problem;
      return existsSync(join(machine.folder, 'root', '.ringlab')) ? '~/.ringlab was made' : undefined;
    });
    await readyAndRun(bench, lab);
  });

/** @param {string} node the program */
export const bareTrixie = (node) =>
  onMachines(node, 'bare-trixie', async (bench) => {
    const machine = await bench.machine({ suite: 'trixie' });
    const lab = bench.lab(machine, 'bare-trixie');
    await bench.check(
      'fault 15: an address under a penalty gets that error, is waited for, and let in',
      async () => {
        await failedLogins(machine, bench.work);
        return bench.says([/next try in \d+ s/, /^# Build the trainer /m], 'prepare', lab, '--dry-run');
      },
    );
    await bench.check('a dry run says that the trainer is built there', () =>
      bench.says([packages, /^# Build the trainer \S+ on the node/m, tries], 'prepare', lab, '--dry-run'),
    );
    if (!(await readyAndRun(bench, lab))) return;
    const next = bench.lab(await bench.machine({ suite: 'trixie' }), 'bare-trixie-next');
    await bench.check('the next node of its kind builds its own: what the first has built stays on it', () =>
      bench.says(
        [/^# Build the trainer \S+ on the node from its sources, for this node only\b/m],
        'prepare',
        next,
        '--dry-run',
      ),
    );
  });

/** @param {string} node the program */
export const bareOffline = (node) =>
  onMachines(node, 'bare-offline', async (bench) => {
    const online = await bench.machine({ suite: 'bookworm' });
    const made = await bench.check('a bundle is made on a machine that reaches the internet', () =>
      bench.says([/"systems":\["debian 12 \S+"\].*"trainers":1/], 'bundle', bench.lab(online, 'online')),
    );
    if (!made) return;
    await online.stop();
    const lab = bench.lab(await bench.machine({ suite: 'bookworm', cutOff: true }), 'bare-offline');
    await bench.check('without the bundle it is said that the node has no internet', async () => {
      const { code, output } = await bench.ringlab('prepare', lab, '--data', join(bench.work, 'empty'));
      return code === 1 && /does not reach the internet/.test(output)
        ? undefined
        : `ended with ${code}\n${output.slice(-2000)}`;
    });
    await readyAndRun(bench, lab);
  });

/**
 * Enough logins with a wrong key for a penalty of 20 s (PerSourcePenalties: 5 s for each, from 15 s on).
 * @param {import('./bare-machine.mjs').Machine} machine @param {string} work
 */
async function failedLogins({ host, port }, work) {
  const wrong = join(work, 'wrong-key');
  await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', wrong]);
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
  ];
  const login = () =>
    runCommand('ssh', [
      ...options.flatMap((option) => ['-o', option]),
      ...['-F', 'none', '-i', wrong, '-p', String(port), `root@${host}`, 'true'],
    ]);
  await Promise.all([login(), login(), login(), login()]);
}

/** @returns {Promise<boolean>} whether it became ready */
async function readyAndRun(bench, lab) {
  const ready = await bench.check('from nothing to ready', () =>
    bench.says([/^bare: ready$/m, verified], 'prepare', lab),
  );
  if (!ready) return false;
  await bench.check('the same again, with nothing to do', () =>
    bench.says([/^bare: ready$/m, verified, wasThere], 'prepare', lab),
  );
  await bench.check('a run finishes and leaves a model', async () => {
    const out = join(bench.work, 'out');
    const problem = await bench.says([/"state":"finished"/], 'run', lab, '--out', out);
    if (problem !== undefined) return problem;
    return existsSync(join(out, 'model_best.pth.tar')) ? undefined : 'no model_best.pth.tar';
  });
  return true;
}

const log = (line) => process.stdout.write(`  │ ${line}\n`);

/**
 * @param {string} node the program
 * @param {string} name of the folder that is used
 * @returns {Promise<import('./counts.mjs').Counts>}
 */
export async function onMachines(node, name, act) {
  const reason = noChroot();
  if (reason !== undefined) {
    process.stdout.write(`skipped: ${reason}\n`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const work = join(cacheFolder, name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const machines = [];
  const results = [];
  const ringlab = (...args) => {
    const data = args.includes('--data') ? [] : ['--data', join(work, 'data')];
    const options = ['--yes', '--accept-new-host-keys'];
    return runCommand(node, [cliBundle, ...args, ...data, ...options], { cwd: work, onLine: log });
  };
  const bench = {
    work,
    ringlab,
    async machine(options) {
      // A key of its own for each.
      const folder = join(work, `machine-${machines.length}`);
      mkdirSync(folder);
      const machine = await startMachine({ ...options, work: folder });
      machines.push(machine);
      return machine;
    },
    lab(machine, id, experiment = {}) {
      const path = join(work, `${id}.lab.json`);
      const lab = labFor(machine, id);
      writeFileSync(path, JSON.stringify({ ...lab, experiment: { ...lab.experiment, ...experiment } }));
      return path;
    },
    async check(title, work) {
      const began = performance.now();
      const problem = await work().catch((error) => String(error));
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
      process.stdout.write(
        problem === undefined ? `✓ ${title} (${took})\n` : `✗ ${title} (${took}): ${problem}\n`,
      );
      results.push({
        passed: Number(problem === undefined),
        failed: Number(problem !== undefined),
        skipped: 0,
      });
      return problem === undefined;
    },
    /** Runs `ringlab`; requires success and the expected output. */
    async says(expected, ...args) {
      const { code, output } = await ringlab(...args);
      if (code !== 0) return `ended with ${code}\n${output.slice(-4000)}`;
      const missing = expected.find((one) => !one.test(output));
      return missing === undefined ? undefined : `does not say ${missing}\n${output.slice(-4000)}`;
    },
  };
  try {
    await act(bench);
  } finally {
    for (const machine of machines) await machine.stop();
    rmSync(work, { recursive: true, force: true });
  }
  return sum(results);
}
