/**
 * A fake rented machine: a Debian with an SSH server only, made by debootstrap, in its own mount and process namespaces.
 * It has this computer's network; a cut-off machine has only a virtual cable to this computer.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, inProject } from '../setup/project.mjs';
import { debianChroot, inChroot } from './chroot.mjs';

/**
 * @typedef {object} Machine
 * @property {string} folder its root folder, as this computer sees it
 * @property {string} host
 * @property {number} port
 * @property {string} keyFile
 * @property {() => Promise<void>} stop
 */

/** One cut-off machine at a time: its cable uses one network (RFC 2544's, which is not routed). */
const cable = { here: '198.19.77.1', there: '198.19.77.2' };

/**
 * @param {{ suite: string, work: string, cutOff?: boolean }} options Debian's release; a folder for the key
 * @returns {Promise<Machine>}
 */
export async function startMachine({ suite, work, cutOff = false }) {
  const base = await debianChroot(createProgress(), {
    name: `${suite}-ssh`,
    suite,
    sections: 'main',
    packages: ['openssh-server'],
  });
  const folder = join(cacheFolder, 'chroots', `bare-${suite}${cutOff ? '-cut-off' : ''}`);
  rmSync(folder, { recursive: true, force: true });
  await need('cp', ['-a', base.folder, folder], 'is the disk full?');
  const keyFile = join(work, 'key');
  rmSync(keyFile, { force: true });
  await need(
    'ssh-keygen',
    ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile],
    'apt-get install openssh-client',
  );
  mkdirSync(join(folder, 'root', '.ssh'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'root', '.ssh', 'authorized_keys'), readFileSync(`${keyFile}.pub`));
  mkdirSync(join(folder, 'run', 'sshd'), { recursive: true });
  const port = await freePort();
  const host = cutOff ? cable.there : '127.0.0.1';
  const sshd = ['/usr/sbin/sshd', '-D', '-e', '-p', String(port)];
  // Ends with this process: the first process of its namespace ends all others, and its network.
  const server = spawn(
    'unshare',
    [
      ...(cutOff ? ['--net'] : []),
      '--pid',
      '--fork',
      '--kill-child',
      ...inChroot(folder, cutOff ? sshd : [...sshd, '-o', `ListenAddress=${host}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-4000)));
  const stop = () =>
    new Promise((resolve) => {
      const onExit = () => {
        rmSync(folder, { recursive: true, force: true });
        resolve();
      };
      // A process that was killed has a signal instead of an exit status.
      if (server.exitCode !== null || server.signalCode !== null) return onExit();
      server.once('close', onExit);
      server.kill('SIGKILL');
    });
  try {
    if (cutOff) await connectCable(server.pid);
    for (let attempts = 0; !(await answers(host, port)); attempts += 1) {
      if (attempts > 100 || server.exitCode !== null || server.signalCode !== null)
        throw new SetupFailure('the SSH server of the bare node does not answer', 'see its output', output);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { folder, host, port, keyFile, stop };
}

/** @param {string} program @param {readonly string[]} args @param {string} remedy */
async function need(program, args, remedy) {
  const { code, output } = await runCommand(program, args);
  if (code !== 0) throw new SetupFailure(`${program} ${args.join(' ')} ended with ${code}`, remedy, output);
}

/** No route leads anywhere but to this computer, which forwards nothing for it. @param {number} pid */
async function connectCable(pid) {
  // `unshare` is in its network namespace as soon as it has forked.
  const own = (file) => runCommand('readlink', [file]).then(({ output }) => output.trim());
  const ownNamespace = await own('/proc/self/ns/net');
  for (let attempts = 0; (await own(`/proc/${pid}/ns/net`)) === ownNamespace && attempts < 100; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const link = `rlbare${pid}`.slice(0, 15);
  const inside = ['-t', String(pid), '-n', 'ip'];
  for (const [program, ...args] of [
    ['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)],
    ['ip', 'addr', 'add', `${cable.here}/30`, 'dev', link],
    ['ip', 'link', 'set', link, 'up'],
    ['nsenter', ...inside, 'link', 'set', 'lo', 'up'],
    ['nsenter', ...inside, 'addr', 'add', `${cable.there}/30`, 'dev', 'eth0'],
    ['nsenter', ...inside, 'link', 'set', 'eth0', 'up'],
  ])
    await need(program, args, 'network namespaces and iproute2 are needed');
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const answers = (host, port) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const end = (yes) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('data', () => end(true));
    for (const event of ['error', 'close', 'timeout']) socket.once(event, () => end(false));
  });

/** The example's experiment, shortened, on one node that is reached over SSH. @param {Machine} machine @param {string} id */
export function labFor({ host, port, keyFile }, id) {
  const example = JSON.parse(readFileSync(inProject('assets', 'labs', 'three-local-nodes.lab.json'), 'utf8'));
  const [first] = example.nodes;
  const access = {
    type: 'ssh',
    host,
    port,
    user: 'root',
    authentication: { method: 'key', keyFile },
  };
  const data = { ...example.experiment.data, train: 480, validation: 120 };
  return {
    ...example,
    id,
    name: id,
    nodes: [{ ...first, name: 'bare', access }],
    links: [],
    experiment: { ...example.experiment, epochs: 1, data },
  };
}
