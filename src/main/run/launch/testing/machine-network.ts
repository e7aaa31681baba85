/** For tests: machines on a switch of their own; one of them may have a second cable, to this machine. */
import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { raiseMachine, type Machine } from './machine.ts';

const execute = promisify(execFile);
const ip = async (...args: string[]): Promise<unknown> => await execute('ip', args);

export interface MachineNetwork {
  /** This machine's end of that cable. */
  readonly cable: string;
  /** That machine's address, as this one sees it. */
  readonly outside: string;
  /** This machine's, as that one sees it. */
  readonly inside: string;
  plug(machine: Machine, address: string): Promise<void>;
  plugOutside(machine: Machine): Promise<void>;
  setCable(state: 'up' | 'down'): Promise<void>;
  close(): Promise<void>;
}

export async function createMachineNetwork(): Promise<MachineNetwork> {
  const bridge = await raiseMachine({ name: 'switch', binds: [], boot: '' });
  await bridge.sh('ip link add bridge type bridge; ip link set bridge up');
  const cable = `rlslurm${randomBytes(3).toString('hex')}`;
  const prefix = freePrefix();
  return {
    cable,
    outside: `${prefix}.2`,
    inside: `${prefix}.1`,
    async plug(machine, address) {
      const port = `m${machine.pid}`;
      const ends = [
        'netns',
        String(bridge.pid),
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        String(machine.pid),
      ];
      await ip('link', 'add', 'name', port, ...ends);
      await bridge.sh(`ip link set ${port} master bridge; ip link set ${port} up`);
      await machine.sh(`ip addr add ${address}/24 dev eth0; ip link set eth0 up`);
    },
    async plugOutside(machine) {
      await ip(
        'link',
        'add',
        'name',
        cable,
        'type',
        'veth',
        'peer',
        'name',
        'outside',
        'netns',
        String(machine.pid),
      );
      await ip('addr', 'add', `${prefix}.1/24`, 'dev', cable);
      await ip('link', 'set', cable, 'up');
      await machine.sh(`ip addr add ${prefix}.2/24 dev outside; ip link set outside up`);
    },
    async setCable(state) {
      await ip('link', 'set', cable, state);
    },
    async close() {
      // The kernel removes a namespace's cables with a delay: deleting one explicitly is immediate.
      await ip('link', 'del', cable).catch(() => undefined);
      await bridge.close();
    },
  };
}

/** The first three bytes of a network for tests (RFC 2544) that no interface here uses. */
function freePrefix(): string {
  const used = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
  for (;;) {
    const prefix = `198.19.${randomInt(0, 200)}`;
    if (!used.some((address) => address.startsWith(`${prefix}.`))) return prefix;
  }
}
