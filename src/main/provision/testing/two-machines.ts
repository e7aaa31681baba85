/**
 * For tests: two machines, `anna` and `berta`, in network namespaces, each with Debian's sshd and its own control
 * network. The test adds cables between them. Needs root.
 */
import { execFileSync } from 'node:child_process';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import { createOverSsh, labOver, type OverSsh } from './over-ssh.ts';

const own = process.pid.toString(36);
const namespaces = [`rlif-${own}-a`, `rlif-${own}-b`] as const;
const [a, b] = namespaces;
/** This computer's address for each node. */
const controls = ['198.19.201', '198.19.202'] as const;

const sh = (script: string): string => execFileSync('sh', ['-ec', script], { encoding: 'utf8' });

/** In its namespaces, with a host name that resolves to loopback, as Debian's installer configures it. */
const asMachine = (name: string): string[] => [
  'ip',
  'netns',
  'exec',
  name,
  'unshare',
  '--uts',
  '--mount',
  'sh',
  '-ec',
  `hostname ${name}-host
  printf '127.0.0.1 localhost\\n127.0.1.1 ${name}-host\\n' > /tmp/${name}-hosts
  mount --bind /tmp/${name}-hosts /etc/hosts
  rm /tmp/${name}-hosts
  exec "$@"`,
  'sh',
];

export interface TwoMachines {
  readonly lab: LabDocument;
  readonly over: OverSsh;
  /** The address by which SSH reaches `anna`. */
  readonly control: string;
  /** A cable between the two: `anna` gets `.1`, `berta` `.2`. */
  cable(name: string, network: string): void;
  /** From now on a firewall silently drops `berta`'s packets to this address. */
  drop(address: string): void;
  close(): Promise<void>;
}

export async function createTwoMachines(): Promise<TwoMachines> {
  const servers: Sshd[] = [];
  const startMachine = async (index: 0 | 1): Promise<Sshd> => {
    const [name, control] = [namespaces[index], controls[index]];
    sh(`ip netns add ${name}; ip -n ${name} link set lo up
      ip link add rlif${own}${index} type veth peer name control netns ${name}
      ip addr add ${control}.1/24 dev rlif${own}${index}; ip link set rlif${own}${index} up
      ip -n ${name} addr add ${control}.2/24 dev control; ip -n ${name} link set control up`);
    const server = await startSshd({ address: `${control}.2`, through: asMachine(name) });
    servers.push(server);
    return server;
  };
  const lab = await labOver({ anna: await startMachine(0), berta: await startMachine(1) });
  const over = createOverSsh();
  return {
    lab,
    over,
    control: `${controls[0]}.2`,
    cable: (name, network) =>
      void sh(`ip -n ${a} link add ${name} type veth peer name ${name} netns ${b}
        ip -n ${a} addr add ${network}.1/24 dev ${name}; ip -n ${a} link set ${name} up
        ip -n ${b} addr add ${network}.2/24 dev ${name}; ip -n ${b} link set ${name} up`),
    drop: (address) => void sh(`ip -n ${b} route add blackhole ${address}/32`),
    async close() {
      await over.close();
      await Promise.all(servers.map((server) => server.stop()));
      // The kernel removes a namespace with a delay: deleting a cable explicitly is immediate.
      for (const [index, name] of namespaces.entries())
        sh(`ip link del rlif${own}${index} 2>/dev/null || :; ip netns del ${name} 2>/dev/null || :`);
    },
  };
}
