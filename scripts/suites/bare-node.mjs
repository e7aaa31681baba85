/**
 * A rented machine: Debian 12 with an SSH server and nothing else, made by debootstrap, in mount and process namespaces of
 * its own. The app brings it from nothing to a finished run, over SSH alone; the time of each step is told.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, cliBundle, inProject } from '../setup/project.mjs';
import { debianChroot, inChroot, noChroot } from './chroot.mjs';
import { sum } from './counts.mjs';

/** @param {string} node the program @returns {Promise<import('./counts.mjs').Counts>} */
export async function bareNode(node) {
  const reason = noChroot();
  if (reason !== undefined) {
    process.stdout.write(`skipped: ${reason}\n`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const base = await debianChroot(createProgress(), {
    name: 'bookworm-ssh',
    suite: 'bookworm',
    sections: 'main',
    packages: ['openssh-server'],
  });
  const work = join(cacheFolder, 'bare-node');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const machine = await startMachine(base.folder, work);
  const results = [];
  const check = async (name, act) => {
    const began = performance.now();
    const problem = await act().catch((error) => String(error));
    const took = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      problem === undefined ? `✓ ${name} (${took} s)\n` : `✗ ${name} (${took} s): ${problem}\n`,
    );
    results.push({
      passed: problem === undefined ? 1 : 0,
      failed: problem === undefined ? 0 : 1,
      skipped: 0,
    });
    return problem === undefined;
  };
  const lab = join(work, 'bare.lab.json');
  writeFileSync(lab, JSON.stringify(labFor(machine)));
  const ringlab = (...args) =>
    runCommand(node, [cliBundle, ...args, '--data', join(work, 'data'), '--yes', '--accept-new-host-keys'], {
      cwd: work,
      onLine: tell,
    });
  const succeeds = async (expected, ...args) => {
    const { code, output } = await ringlab(...args);
    if (code !== 0) return `ended with ${code}\n${output.slice(-4000)}`;
    return expected.test(output) ? undefined : `does not say ${expected}\n${output.slice(-4000)}`;
  };
  try {
    await check('a dry run lists the packages and changes nothing', async () => {
      const problem = await succeeds(
        /apt-get update && apt-get install -y libtorch-dev/,
        'prepare',
        lab,
        '--dry-run',
      );
      if (problem !== undefined) return problem;
      return existsSync(join(machine.folder, 'root', '.ringlab')) ? '~/.ringlab was made' : undefined;
    });
    const ready = await check('from nothing to ready', () => succeeds(/^bare: ready$/m, 'prepare', lab));
    if (ready) {
      await check('the same again, with nothing to do', () => succeeds(/^bare: ready$/m, 'prepare', lab));
      await check('a run finishes and leaves a model', async () => {
        const out = join(work, 'out');
        const problem = await succeeds(/"state":"finished"/, 'run', lab, '--out', out);
        if (problem !== undefined) return problem;
        return existsSync(join(out, 'model_best.pth.tar')) ? undefined : 'no model_best.pth.tar';
      });
    }
  } finally {
    await machine.stop();
    rmSync(work, { recursive: true, force: true });
  }
  return sum(results);
}

const tell = (line) => process.stdout.write(`  │ ${line}\n`);

/**
 * @typedef {object} Machine
 * @property {string} folder
 * @property {number} port
 * @property {string} keyFile
 * @property {() => Promise<void>} stop
 */

/** @param {string} base @param {string} work @returns {Promise<Machine>} */
async function startMachine(base, work) {
  const folder = join(cacheFolder, 'chroots', 'bare-node');
  rmSync(folder, { recursive: true, force: true });
  const copied = await runCommand('cp', ['-a', base, folder]);
  if (copied.code !== 0)
    throw new SetupFailure(`${base} could not be copied`, 'is the disk full?', copied.output);
  const keyFile = join(work, 'key');
  const made = await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile]);
  if (made.code !== 0)
    throw new SetupFailure('ssh-keygen made no key', 'apt-get install openssh-client', made.output);
  mkdirSync(join(folder, 'root', '.ssh'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'root', '.ssh', 'authorized_keys'), readFileSync(`${keyFile}.pub`));
  mkdirSync(join(folder, 'run', 'sshd'), { recursive: true });
  const port = await freePort();
  // Ends with us: the first process of its namespace takes all others with it.
  const server = spawn(
    'unshare',
    [
      '--pid',
      '--fork',
      '--kill-child',
      ...inChroot(folder, [
        '/usr/sbin/sshd',
        '-D',
        '-e',
        '-p',
        String(port),
        '-o',
        'ListenAddress=127.0.0.1',
      ]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4000)));
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries > 100 || server.exitCode !== null)
      throw new SetupFailure('the SSH server of the bare node does not answer', 'see its words', said);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    folder,
    port,
    keyFile,
    stop: () =>
      new Promise((resolve) => {
        server.once('close', () => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        server.kill('SIGKILL');
      }),
  };
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (yes) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });

/** The example's experiment on one node that is reached over SSH. @param {Machine} machine */
function labFor({ port, keyFile }) {
  const example = JSON.parse(readFileSync(inProject('assets', 'labs', 'three-local-nodes.lab.json'), 'utf8'));
  const [first] = example.nodes;
  return {
    ...example,
    id: 'bare-node',
    name: 'bare node',
    nodes: [
      {
        ...first,
        name: 'bare',
        access: {
          type: 'ssh',
          host: '127.0.0.1',
          port,
          user: 'root',
          authentication: { method: 'key', keyFile },
        },
      },
    ],
    links: [],
    experiment: {
      ...example.experiment,
      epochs: 1,
      data: { ...example.experiment.data, train: 480, validation: 120 },
    },
  };
}
