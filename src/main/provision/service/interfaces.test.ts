/**
 * By which address machines reach each other: two nodes of their own in network namespaces, each behind an sshd of Debian's,
 * with more than one interface, of which not every one leads to the other node. Needs root.
 */
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { rankCommand } from '../../run/launch/command.ts';
import { shellQuote } from '../../ssh/index.ts';
import { noNamespaces } from '../../net/testing/lab.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import type { Provisioner } from './contract.ts';
import { createOverSsh, labOver, type OverSsh } from '../testing/over-ssh.ts';

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

/** In its namespaces, with a name of its own that leads to its loopback: so does Debian's installer write it. */
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

let servers: Sshd[] = [];
let over: OverSsh;
let provisioner: Provisioner;
let lab: LabDocument;

describe.skipIf(noNamespaces !== undefined)(`in namespaces (${noNamespaces ?? 'root'})`, () => {
  beforeEach(async () => {
    for (const [index, name] of namespaces.entries()) {
      const control = controls[index] ?? '';
      sh(`ip netns add ${name}; ip -n ${name} link set lo up
      ip link add rlif${own}${index} type veth peer name control netns ${name}
      ip addr add ${control}.1/24 dev rlif${own}${index}; ip link set rlif${own}${index} up
      ip -n ${name} addr add ${control}.2/24 dev control; ip -n ${name} link set control up`);
      servers.push(await startSshd({ address: `${control}.2`, through: asMachine(name) }));
    }
    const [anna, berta] = servers as [Sshd, Sshd];
    lab = await labOver({ anna, berta });
    over = createOverSsh();
    ({ provisioner } = over);
  }, 60_000);
  afterEach(async () => {
    await over.close();
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    // The kernel takes a namespace apart some time after its end: a cable goes at once only where it is named.
    for (const [index, name] of namespaces.entries())
      sh(`ip link del rlif${own}${index} 2>/dev/null || :; ip netns del ${name} 2>/dev/null || :`);
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

  test(
    'two ranks meet though each machine’s own name is 127.0.1.1, as Debian writes it to /etc/hosts',
    async () => {
      cable('data', '198.19.206');
      const ready = await provisioner.prepare(lab);
      expect(ready.nodes.map(({ address }) => address)).toEqual(['198.19.206.1', '198.19.206.2']);
      const ends = await Promise.all(
        ready.nodes.map(async ({ node, facts }, rank) => {
          expect(facts.hostname).toMatch(/^rlif-.*-host$/);
          const session = await over.session(lab, node.id);
          expect((await session.run('getent ahostsv4 "$(uname -n)"')).trim()).toMatch(/^127\.0\.1\.1 /);
          const { argv, env } = rankCommand(lab, ready, rank, 2);
          const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`);
          return session.exec(
            `mkdir -p rank && cd rank && env ${[...variables, ...argv.map(shellQuote)].join(' ')}`,
            { timeoutMs: patience },
          );
        }),
      );
      expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
    },
    patience,
  );
});
