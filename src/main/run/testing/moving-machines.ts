/**
 * For tests: machines in namespaces of this computer, each with a real sshd, an address towards this computer and one in the network
 * that the machines train in. Both addresses can be changed while they run. All have this computer's files, as with a shared home, but
 * each its own boot. Needs root.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPlacement, type LabNode } from '../../../shared/lab/lab.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import { killBelow } from './bench.ts';

const sh = (script: string): string => execFileSync('sh', ['-ec', script], { encoding: 'utf8' });

const maxMachines = 4;
/** The first of so many networks between this computer and machines that no test has now: those from 198.19.216.0 are for these. */
function freeNetwork(): number {
  const taken = sh('ip -o -4 addr show');
  // Two files that start at the same moment see the same ones: each begins at its own.
  for (let number = process.pid; ; number += 1) {
    const first = 216 + maxMachines * (number % 10);
    const all = Array.from({ length: maxMachines }, (_, index) => `198.19.${first + index}.`);
    if (!all.some((network) => taken.includes(network))) return first;
  }
}

export interface MovingMachine {
  readonly name: string;
  /** The node as it is drawn. @param host its address towards this computer, or a name for it */
  node(host: string): LabNode;
  /** A line of a known_hosts file. */
  knownHostsLine(host: string): string;
  /** Its address among the machines. */
  trainingAddress(): string;
  sshAddress(): string;
  readonly sshd: Sshd;
  /** Takes its address among the machines away and gives it another, as a new lease does. */
  moveTraining(): void;
  /** The same with its address towards this computer: open connections are not closed, they only get no answers. */
  moveSsh(): void;
  /** Gives this computer another address towards the machine. */
  moveThisComputer(): void;
}

export interface MovingMachines {
  readonly machines: readonly MovingMachine[];
  close(): Promise<void>;
}

export async function createMovingMachines(names: readonly string[]): Promise<MovingMachines> {
  const own = process.pid.toString(36);
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-moving-'));
  const centre = `rlmv-${own}`;
  const first = freeNetwork();
  const cable = (index: number): string => `rlmv${own}${index}`;
  const namespace = (index: number): string => `${centre}-${index}`;
  sh(`ip netns add ${centre}
    ip -n ${centre} link add vpn type bridge; ip -n ${centre} link set vpn up`);
  const machines: MovingMachine[] = [];
  const close = async (): Promise<void> => {
    for (const { sshd } of machines) {
      await killBelow(sshd.home);
      await sshd.stop();
    }
    for (const [index] of names.entries())
      sh(`ip link del ${cable(index)} 2>/dev/null || :; ip netns del ${namespace(index)} 2>/dev/null || :`);
    sh(`ip netns del ${centre} 2>/dev/null || :`);
    await rm(folder, { recursive: true });
  };
  try {
    for (const [index, name] of names.entries()) machines.push(await machine(index, name));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    machines,
    close,
  };

  async function machine(index: number, name: string): Promise<MovingMachine> {
    const [space, outer] = [namespace(index), cable(index)];
    const ssh = { net: `198.19.${first + index}`, host: 2 };
    const training = { host: 10 + index };
    const trainingAddress = (): string => `198.19.208.${training.host}`;
    const sshAddress = (): string => `${ssh.net}.${ssh.host}`;
    sh(`ip netns add ${space}; ip -n ${space} link set lo up
      ip link add ${outer} type veth peer name control netns ${space}
      ip addr add ${ssh.net}.1/24 dev ${outer}; ip link set ${outer} up
      ip -n ${space} addr add ${sshAddress()}/24 dev control; ip -n ${space} link set control up
      ip -n ${space} link add vpn type veth peer name to${index} netns ${centre}
      ip -n ${space} addr add ${trainingAddress()}/24 dev vpn; ip -n ${space} link set vpn up
      ip -n ${centre} link set to${index} master vpn; ip -n ${centre} link set to${index} up`);
    const boot = join(folder, `boot-${index}`);
    await writeFile(boot, `${randomUUID()}\n`);
    const own = `mount --bind ${boot} /proc/sys/kernel/random/boot_id && exec "$0" "$@"`;
    const sshd = await startSshd({
      address: '0.0.0.0',
      port: 2222,
      through: ['ip', 'netns', 'exec', space, 'sh', '-c', own],
      forwarded: { host: sshAddress(), port: 2222 },
    });
    const { port, user, keyFile } = sshd;
    return {
      name,
      sshd,
      sshAddress,
      trainingAddress,
      knownHostsLine: (host) => sshd.knownHostsLine.replace(/^\[[^\]]*\]/, `[${host}]`),
      node: (host) => ({
        id: `m${index}`,
        name,
        kind: 'cpu',
        position: { x: 0, y: 0 },
        placement: defaultPlacement('cpu'),
        access: {
          ...{ type: 'ssh', host, port, user },
          authentication: { method: 'key', keyFile },
        },
      }),
      moveTraining() {
        const before = trainingAddress();
        training.host += 100;
        sh(
          `ip -n ${space} addr del ${before}/24 dev vpn; ip -n ${space} addr add ${trainingAddress()}/24 dev vpn`,
        );
      },
      moveSsh() {
        const before = sshAddress();
        ssh.host += 100;
        sh(`ip -n ${space} addr del ${before}/24 dev control
          ip -n ${space} addr add ${sshAddress()}/24 dev control`);
      },
      moveThisComputer() {
        sh(`ip addr del ${ssh.net}.1/24 dev ${outer}; ip addr add ${ssh.net}.250/24 dev ${outer}`);
      },
    };
  }
}
