/**
 * By which address machines reach each other: two nodes of their own in network namespaces, each behind an sshd of Debian's,
 * with more than one interface, of which not every one leads to the other node. Needs root.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LabDocument } from '../../shared/lab.ts';
import { createReach, type Reach } from '../local/index.ts';
import { noNamespaces } from '../net/testing/lab.ts';
import { createSshPool, type SshPool } from '../ssh/index.ts';
import { startSshd, type Sshd } from '../ssh/testing/sshd.ts';
import { keepsNothing } from './bucket-keys.ts';
import type { Provisioner } from './contract.ts';
import { createProvisioner } from './provisioner.ts';
import { createAsker } from './testing/asker.ts';
import { describeAsCurrent, labOf, nativeSource, trainerBinary } from './testing/bench.ts';
import { freePort } from './testing/free-port.ts';

const own = process.pid.toString(36);
const namespaces = [`rlif-${own}-a`, `rlif-${own}-b`] as const;
const [a, b] = namespaces;
/** What this computer is known by to each node: two networks that know nothing of each other. */
const controls = ['198.19.201', '198.19.202'] as const;

const sh = (script: string): string => execFileSync('sh', ['-ec', script], { encoding: 'utf8' });
/** A cable between the two nodes: `anna` gets `.1`, `berta` `.2`. */
const cable = (name: string, network: string): void =>
  void sh(`ip -n ${a} link add ${name} type veth peer name ${name} netns ${b}
    ip -n ${a} addr add ${network}.1/24 dev ${name}; ip -n ${a} link set ${name} up
    ip -n ${b} addr add ${network}.2/24 dev ${name}; ip -n ${b} link set ${name} up`);

let folder = '';
let servers: Sshd[] = [];
let pool: SshPool & { close(): Promise<void> };
let reach: Reach & { close(): Promise<void> };
let provisioner: Provisioner;
let lab: LabDocument;

describe.skipIf(noNamespaces !== undefined)(`in namespaces (${noNamespaces ?? 'root'})`, () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-interfaces-'));
    for (const [index, name] of namespaces.entries()) {
      const control = controls[index] ?? '';
      sh(`ip netns add ${name}; ip -n ${name} link set lo up
      ip link add rlif${own}${index} type veth peer name control netns ${name}
      ip addr add ${control}.1/24 dev rlif${own}${index}; ip link set rlif${own}${index} up
      ip -n ${name} addr add ${control}.2/24 dev control; ip -n ${name} link set control up`);
      servers.push(await startSshd({ address: `${control}.2`, through: ['ip', 'netns', 'exec', name] }));
    }
    const drawn = labOf(['anna', 'berta'], { port: await freePort() });
    lab = {
      ...drawn,
      nodes: drawn.nodes.map((node, index) => {
        const { host, port, user, keyFile } = servers[index]!;
        return {
          ...node,
          access: { type: 'ssh', host, port, user, authentication: { method: 'key', keyFile } },
        };
      }),
    };
    const prompter = createAsker();
    pool = createSshPool({
      prompter,
      secrets: keepsNothing,
      home: folder,
      dataFolder: folder,
      agentSocket: undefined,
      systemKnownHosts: [],
    });
    reach = createReach({ pool, dataFolder: folder });
    provisioner = createProvisioner({
      reach,
      events: { emit: () => undefined },
      paths: { nativeSource, trainerBinary, data: folder, home: folder },
      describeBinary: describeAsCurrent,
      prompter,
    });
  }, 60_000);
  afterEach(async () => {
    await reach.close();
    await pool.close();
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    // The kernel takes a namespace apart some time after its end: a cable goes at once only where it is named.
    for (const [index, name] of namespaces.entries())
      sh(`ip link del rlif${own}${index} 2>/dev/null || :; ip netns del ${name} 2>/dev/null || :`);
    rmSync(folder, { recursive: true, force: true });
  });

  const networkLog = (index: number): string =>
    provisioner
      .status(lab)
      [index]!.steps.find(({ id }) => id === 'network')!
      .log.join('\n');

  // One preparation each: sending the trainer and the trials take some seconds on a machine that has other work.
  const patience = 120_000;

  test(
    'of two interfaces only one leads to the other node: the SSH address is tried, the other is taken',
    async () => {
      cable('data', '198.19.203');
      const ready = await provisioner.prepare(lab);
      expect(ready.master.host).toBe('198.19.203.1');
      expect(ready.nodes.map(({ address }) => address)).toEqual(['198.19.203.1', '198.19.203.2']);
      const log = networkLog(0);
      expect(log.indexOf(`--connect ${controls[0]}.2:`)).toBeGreaterThan(-1);
      expect(log.indexOf(`--connect ${controls[0]}.2:`)).toBeLessThan(log.indexOf('--connect 198.19.203.1:'));
    },
    patience,
  );

  test(
    'a firewall in one of two ways is found by trying; with both closed, both nodes are named',
    async () => {
      cable('one', '198.19.204');
      cable('two', '198.19.205');
      // What a firewall that drops without a word looks like from there.
      sh(`ip -n ${b} route add blackhole 198.19.204.1/32`);
      const ready = await provisioner.prepare(lab);
      expect(ready.master.host).toBe('198.19.205.1');
      expect(ready.nodes[1]?.address).toBe('198.19.205.2');
      sh(`ip -n ${b} route add blackhole 198.19.205.1/32`);
      await expect(provisioner.prepare(lab)).rejects.toMatchObject({
        code: 'rank_unreachable',
        where: 'berta',
        params: { from: 'berta', to: 'anna' },
        detail: expect.stringMatching(/tried: .*198\.19\.204\.1.*/) as unknown,
      });
    },
    patience,
  );
});
