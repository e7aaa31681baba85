/**
 * For tests: a machine of its own on this one, by Linux namespaces (network, host name, processes, mounts, IPC). It ends, with
 * everything that was started in it, by `close`, or when the process that raised it ends. Needs root.
 */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { descendantsOf, isAlive } from '../../../ssh/testing/processes.ts';

const execute = promisify(execFile);

export interface MachineOptions {
  /** Its host name. */
  readonly name: string;
  /** Folders and files of the host, by the path at which the machine sees them; in this order. /mnt is empty before. */
  readonly binds: readonly (readonly [path: string, source: string])[];
  /** Shell text that starts its services, run once its network is up. */
  readonly boot: string;
}

export interface Machine {
  readonly name: string;
  /** Its first process, as this machine numbers it. */
  readonly pid: number;
  /** A program with its arguments, put before another's, runs that one in this machine. */
  readonly through: readonly string[];
  /** Runs shell text as root and returns what it printed. Rejects, with its error output, if it fails. */
  sh(script: string): Promise<string>;
  /** All its processes, as this machine numbers them. */
  processes(): number[];
  /** Starts the services: called once, after its network was set up. */
  boot(): Promise<void>;
  /** As a power failure: every process in it is killed. */
  close(): Promise<void>;
}

/**
 * The first process: sets up what belongs to the machine, waits for a line, starts the services, and ends with its input.
 * Bash, because it also reaps the processes that lost their parent.
 */
const firstProcess = `set -eu
hostname "$1"; boot=$2; shift 2
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /mnt
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
while [ $# -gt 0 ]; do
  case $1 in /mnt/*) mkdir -p "$1" ;; esac
  mount --bind "$2" "$1"; shift 2
done
ip link set lo up
echo up
read -r line
( eval "$boot" ) </dev/null
echo booted
cat >/dev/null`;

export async function raiseMachine({ name, binds, boot }: MachineOptions): Promise<Machine> {
  // Mounts of this computer that end must end inside, too: a copy would keep a disk that another test repairs.
  const mounts = ['--mount', '--propagation', 'slave', '--mount-proc'];
  const namespaces = ['--pid', ...mounts, '--uts', '--ipc', '--net'];
  // Bash reads the user's start-up file where its input is a socket.
  const shell = ['bash', '--norc', '-c', firstProcess, 'bash', name, boot, ...binds.flat()];
  const holder = spawn('unshare', [...namespaces, '--fork', '--kill-child', ...shell], {
    stdio: 'pipe',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  const printed = linesOf(holder, name);
  await printed.next('up');
  const [pid] = descendantsOf(holder.pid ?? -1);
  if (pid === undefined) throw new Error(`${name} has no first process`);
  // The mount namespace alone would have this machine's root, where the tests themselves run in a chroot.
  const through = ['nsenter', '-t', String(pid), '-m', '-r', '-u', '-i', '-n', '-p', '--'];
  return {
    name,
    pid,
    through,
    async sh(script) {
      const [program, ...rest] = [...through, 'sh', '-ec', script];
      return (await execute(program, rest, { maxBuffer: 32 * 1024 * 1024 })).stdout;
    },
    processes: () => [pid, ...descendantsOf(pid)],
    async boot() {
      holder.stdin.write('boot\n');
      await printed.next('booted');
    },
    async close() {
      holder.stdin.destroy();
      if (holder.exitCode === null && holder.signalCode === null) {
        const ended = once(holder, 'exit');
        holder.kill('SIGKILL');
        await ended;
      }
      // The kernel kills the others of its namespace before the first process is gone.
      while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

/** What the first process says, and its errors where it says nothing more. */
function linesOf(child: ChildProcessWithoutNullStreams, name: string): { next(line: string): Promise<void> } {
  let [output, errors, waiting] = ['', '', (): void => undefined];
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-20_000);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-20_000);
    waiting();
  });
  return {
    async next(line) {
      while (!output.split('\n').includes(line)) {
        const more = new Promise<void>((resolve) => (waiting = resolve));
        await Promise.race([more, ended]);
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${name} did not start: ${errors || output}`);
      }
    },
  };
}
