/**
 * For tests: a real Slurm on this machine, from Debian's packages: a controller, a login node with an SSH server, and compute nodes
 * without one, each a machine of its own on a network of their own. Needs root.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSshd, type Sshd } from '../../../../ssh/testing/sshd.ts';
import { bindsOf, makeClusterFolder, users } from './cluster-folder.ts';
import { createMachineNetwork } from '../../testing/machine-network.ts';
import { raiseMachine, type Machine } from '../../testing/machine.ts';
import { bootOf } from './services.ts';

const execute = promisify(execFile);

export interface ClusterOptions {
  /** Compute nodes; 4 by default. */
  readonly nodes?: number;
  /** Of each node, as the scheduler counts them; 4 by default. */
  readonly cpus?: number;
  /** Of each node, in MiB; 4000 by default. */
  readonly memory?: number;
  /** Of each node; 2 by default. */
  readonly gpus?: number;
  /** With slurmdbd on MariaDB: `sacct` works, and limits apply. Takes some seconds more. */
  readonly accounting?: boolean;
  /** The folder that all machines see as /usr/local. */
  readonly local?: string;
}

export interface SlurmCluster {
  /** The login node's SSH server; its `home` is the user's, which all machines share, as a path of this machine. */
  readonly sshd: Sshd;
  /** This machine's interface that leads to the login node. */
  readonly cable: string;
  /** Names of the compute nodes: node1, node2, … */
  readonly nodes: readonly string[];
  /** `controller`, `login`, or a compute node. */
  machine(name: string): Machine;
  /** Runs shell text as the user on the login node, in the home folder. */
  asUser(script: string): Promise<string>;
  /** From now on no new job starts there; a running one continues. */
  drain(node: string, reason: string): Promise<void>;
  undrain(node: string): Promise<void>;
  /** The node loses its power: slurmd, the jobs' processes, everything. The controller notices it after ten seconds. */
  killNode(node: string): Promise<void>;
  /** The node boots again. */
  bootNode(node: string): Promise<void>;
  stopController(): Promise<void>;
  startController(): Promise<void>;
  /** Another user's job takes every node for an hour. Resolves with its id once it runs. */
  fillQueue(): Promise<string>;
  /** Cancels every job of every user; resolves when none is left. */
  emptyQueue(): Promise<void>;
  /** Leaves no process, namespace, mount, interface or file. */
  close(): Promise<void>;
}

/** Debian puts the programs of each package here. */
function absence(programs: readonly string[], packages: string): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a Slurm cluster needs Linux and root';
  const absent = programs.filter((program) => !existsSync(program));
  return absent.length === 0 ? undefined : `${absent.join(', ')} missing: apt-get install ${packages}`;
}

/** Why no cluster can be raised here; undefined where one can. */
export const noCluster = absence(
  ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch', '/usr/sbin/sshd'],
  'munge slurmctld slurmd slurm-client openssh-server',
);

/** Why none with accounting can be raised here. */
export const noAccounting =
  noCluster ??
  absence(
    ['/usr/sbin/slurmdbd', '/usr/sbin/mariadbd', '/usr/bin/my_print_defaults'],
    'slurmdbd mariadb-server-core mariadb-client-core',
  );

export async function raiseCluster(options: ClusterOptions = {}): Promise<SlurmCluster> {
  if (noCluster !== undefined) throw new Error(noCluster);
  const { cpus = 4, memory = 4000, gpus = 2, accounting = false } = options;
  if (accounting && noAccounting !== undefined) throw new Error(noAccounting);
  const nodes = Array.from({ length: options.nodes ?? 4 }, (_, index) => `node${index + 1}`);
  const names = ['controller', 'login', ...nodes];
  const addresses = new Map(names.map((name, index) => [name, `10.77.0.${index + 1}`]));
  const folder = await makeClusterFolder({ nodes, cpus, memory, gpus, accounting }, addresses);
  const network = await createMachineNetwork();
  const machines = new Map<string, Machine>();
  let sshd: Sshd | undefined;

  const machine = (name: string): Machine => {
    const found = machines.get(name);
    if (found === undefined) throw new Error(`the cluster has no machine ${name} that is up`);
    return found;
  };
  const controller = async (script: string): Promise<string> => await machine('controller').sh(script);
  const until = async (script: string): Promise<unknown> =>
    await controller(`until ${script}; do sleep 0.1; done`);
  const isIdle = (list: readonly string[]): string =>
    `[ "$(sinfo -h -N -p main -n ${list.join(',')} -t idle -o %N 2>/dev/null | wc -l)" -eq ${list.length} ]`;

  /** The controller may give it a job at once. */
  const isUp = (node: string): string =>
    `sinfo -h -N -p main -n ${node} -t idle,mixed,allocated -o %N 2>/dev/null | grep -q .`;

  async function raise(name: string): Promise<void> {
    const raised = await raiseMachine({
      name,
      binds: [
        ...(await bindsOf(folder, name)),
        ...(options.local === undefined ? [] : [['/usr/local', options.local] satisfies [string, string]]),
      ],
      boot: bootOf(name, accounting, ['student', 'rival']),
    });
    machines.set(name, raised);
    await network.plug(raised, addresses.get(name) ?? '');
    if (name === 'login') await network.plugOutside(raised);
    await raised.boot();
  }

  async function close(): Promise<void> {
    await sshd?.stop();
    await Promise.all([...machines.values()].map((one) => one.close()));
    await network.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async function startLogin(): Promise<Sshd> {
    const started = await startSshd({
      address: network.outside,
      through: machine('login').through,
      accounts: true,
    });
    return { ...started, user: 'student', home: join(folder, 'home', 'student') };
  }

  const asUser = async (name: keyof typeof users, script: string): Promise<string> => {
    const id = String(users[name]);
    const as = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--reset-env'];
    const [program, ...rest] = [...machine('login').through, ...as, 'sh', '-ec', `cd; ${script}`];
    return (await execute(program, rest, { maxBuffer: 32 * 1024 * 1024 })).stdout;
  };

  try {
    await Promise.all(names.map(raise));
    sshd = await startLogin();
    await until(isIdle(nodes));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sshd,
    cable: network.cable,
    nodes,
    machine,
    asUser: (script) => asUser('student', script),
    async drain(node, reason) {
      await controller(`scontrol update NodeName=${node} State=DRAIN Reason='${reason}'`);
    },
    async undrain(node) {
      await controller(`scontrol update NodeName=${node} State=RESUME`);
    },
    async killNode(node) {
      await machine(node).close();
      machines.delete(node);
    },
    async bootNode(node) {
      await raise(node);
      await until(isUp(node));
    },
    async stopController() {
      await controller(
        'pid=$(cat /run/slurm/slurmctld.pid); kill "$pid"; while [ -d "/proc/$pid" ]; do sleep 0.1; done',
      );
    },
    async startController() {
      await controller('slurmctld');
      // Until nodes have reported to it, it rejects changes of their state.
      await until('{ states=$(sinfo -h -N -o %t) && ! echo "$states" | grep -q unk; }');
    },
    async fillQueue() {
      const job = await asUser(
        'rival',
        `sbatch --parsable --exclusive -N ${nodes.length} -t 60 -o /dev/null --wrap 'sleep 3600'`,
      );
      await until(`squeue -h -j ${job.trim()} -t R | grep -q .`);
      return job.trim();
    },
    async emptyQueue() {
      await until(`{ scancel -u student; scancel -u rival; ! squeue -h -a | grep -q .; }`);
    },
    close,
  };
}
