import { execFileSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventLog } from '../base/events.ts';
import { createReach } from '../local/index.ts';
import { testPool } from '../ssh/testing/pool.ts';
import { startSshd } from '../ssh/testing/sshd.ts';
import { liftScript, limitScript, renewScript } from './limit-script.ts';
import { createLimits, limitsOf } from './limits.ts';
import { drawn, noNamespaces } from './testing/lab.ts';
import { sendTo, startListener } from './testing/pairs.ts';

test('each pair of real nodes is limited by its narrowest link; local nodes are not limited', () => {
  const lab = drawn('real', ['a', 'b', 'c', 's1', 'd'], ['a-b@100', 'b-s1@10', 's1-c@1000', 'd-a@5']);
  for (const node of lab.nodes)
    if (node.id !== 'd')
      node.access = { type: 'ssh', host: node.id, port: 22, user: 'u', authentication: { method: 'agent' } };
  const addresses = new Map([
    ['a', '192.0.2.1'],
    ['b', '192.0.2.2'],
    ['c', '192.0.2.3'],
  ]);
  expect(limitsOf(lab, addresses)).toEqual(
    new Map([
      [
        'a',
        [
          { address: '192.0.2.2', bandwidthMbps: 100 },
          { address: '192.0.2.3', bandwidthMbps: 10 },
        ],
      ],
      [
        'b',
        [
          { address: '192.0.2.1', bandwidthMbps: 100 },
          { address: '192.0.2.3', bandwidthMbps: 10 },
        ],
      ],
      [
        'c',
        [
          { address: '192.0.2.1', bandwidthMbps: 10 },
          { address: '192.0.2.2', bandwidthMbps: 10 },
        ],
      ],
    ]),
  );
});

/** The lab's, in the scripts. */
const tag = '5f3a09c1';
const toPeer = [{ address: '192.0.2.2', bandwidthMbps: 10 }];
const theirPeer = [{ address: '192.0.2.3', bandwidthMbps: 20 }];

/** A node and two machines next to it, in namespaces of this test. */
const names = ['node', 'peer', 'other'].map((name) => `rltest-${process.pid}-${name}`);
const [node = '', peer = '', other = ''] = names;
const listeners: ChildProcess[] = [];
const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
const onNode = (script: string, environment: Record<string, string> = {}): string =>
  execFileSync('nsenter', [`--net=/run/netns/${node}`, 'sh'], {
    input: script,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...environment },
  });
const rootQueue = (): string => onNode('tc qdisc show dev eth0 root');
const megabits = async (address: string, bytes: number): Promise<number> => {
  const sent = await sendTo(node, address, bytes);
  return (sent.bytes * 8) / sent.seconds / 1e6;
};
/** Seconds since the boot at which the node's watchdog lifts the limits. */
const deadline = (): number => Number(readFileSync('/run/ringlab-limits/deadline', 'utf8').split(' ', 1)[0]);
const uptime = (): number => Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]));
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe.skipIf(noNamespaces !== undefined)(`tc on a node (${noNamespaces ?? 'root'})`, () => {
  beforeEach(async () => {
    for (const name of names) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    ip('-n', peer, 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', node, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'p0', 'netns', peer);
    ip('-n', other, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'p1', 'netns', peer);
    for (const device of ['p0', 'p1']) ip('-n', peer, 'link', 'set', device, 'master', 'br0', 'up');
    ip('-n', peer, 'address', 'add', '192.0.2.2/24', 'dev', 'br0');
    ip('-n', peer, 'link', 'set', 'br0', 'up');
    ip('-n', node, 'address', 'add', '192.0.2.1/24', 'dev', 'eth0');
    ip('-n', node, 'link', 'set', 'eth0', 'up');
    ip('-n', other, 'address', 'add', '192.0.2.3/24', 'dev', 'eth0');
    ip('-n', other, 'link', 'set', 'eth0', 'up');
    for (const [namespace, name] of [
      [peer, 'peer'],
      [other, 'other'],
    ] as const)
      listeners.push(await startListener(namespace, name));
  });
  afterEach(() => {
    onNode(liftScript(tag));
    for (const listener of listeners.splice(0)) listener.kill('SIGKILL');
    for (const name of names) ip('netns', 'delete', name);
  });

  test('limits traffic to the peer only, not to others nor the SSH session; is applied again and removed', async () => {
    expect(onNode(limitScript(toPeer, 60, tag))).toBe('limited eth0\n');
    expect(await megabits('192.0.2.2', 2_000_000)).toBeLessThan(10.5);
    expect(await megabits('192.0.2.3', 20_000_000)).toBeGreaterThan(12);
    onNode(limitScript([{ address: '192.0.2.2', bandwidthMbps: 40 }], 60, tag));
    const faster = await megabits('192.0.2.2', 8_000_000);
    expect(faster).toBeGreaterThan(12);
    expect(faster).toBeLessThan(42);
    // The SSH session comes from the peer's own address: the server's answers are exempt, other traffic to it is not.
    onNode(limitScript(toPeer, 60, tag), { SSH_CONNECTION: '192.0.2.2 50000 192.0.2.1 2222' });
    const filters = onNode('tc filter show dev eth0 parent 52a1: prio 1');
    expect(filters).toMatch(/flowid 52a1:(0|\s|$)/m);
    expect(filters).toContain('c0000202/ffffffff at 16');
    expect(filters).toContain('08ae0000/ffff0000 at 20');
    onNode(liftScript(tag));
    expect(rootQueue()).not.toContain('52a1');
    expect(await megabits('192.0.2.2', 20_000_000)).toBeGreaterThan(12);
  });

  test('expires by itself if it is not renewed', async () => {
    // A lifetime much longer than any step: the watchdog depends only on the deadline.
    onNode(limitScript(toPeer, 3600, tag));
    const guard = Number(readFileSync('/run/ringlab-limits/guard.pid', 'utf8'));
    const first = deadline();
    expect(first).toBeGreaterThan(uptime() + 1800);
    onNode(renewScript(toPeer, 7200, tag));
    expect(deadline()).toBeGreaterThanOrEqual(first + 3600);
    expect(isAlive(guard)).toBe(true);
    expect(rootQueue()).toContain('52a1');
    // As long after the last renewal.
    onNode(renewScript(toPeer, 0, tag));
    await expect.poll(() => rootQueue(), { timeout: 100_000, interval: 200 }).not.toContain('52a1');
    await expect.poll(() => isAlive(guard)).toBe(false);
    expect(() => onNode(renewScript(toPeer, 4, tag))).toThrow();
  });

  test('is not renewed where the interface was made again, or where a route leads to another one', () => {
    onNode(limitScript(toPeer, 60, tag));
    onNode(renewScript(toPeer, 60, tag));
    // An interface that is made again has no queue of ours.
    onNode('tc qdisc delete dev eth0 root');
    expect(() => onNode(renewScript(toPeer, 60, tag))).toThrow();
    onNode(limitScript(toPeer, 60, tag));
    expect(rootQueue()).toContain('52a1');
    // As by a VPN that comes up.
    onNode('ip link add vpn type bridge; ip link set vpn up; ip route add 192.0.2.2/32 dev vpn');
    expect(() => onNode(renewScript(toPeer, 60, tag))).toThrow();
    expect(onNode(limitScript(toPeer, 60, tag))).toBe('limited vpn\n');
    expect(rootQueue()).not.toContain('52a1');
    onNode(renewScript(toPeer, 60, tag));
  });

  test('a peer without a route is named; limits that were set before it are lifted, and no watchdog stays', () => {
    const script = limitScript([...toPeer, { address: '203.0.113.9', bandwidthMbps: 10 }], 3600, tag);
    expect(() => onNode(script)).toThrow();
    expect(rootQueue()).not.toContain('52a1');
    expect(existsSync('/run/ringlab-limits')).toBe(false);
    expect(onNode(`(${script}\n) || :`)).toContain('noroute 203.0.113.9');
    // tc itself fails, after the queue was set.
    const failing = limitScript(toPeer, 3600, tag).replace('tc class add', 'tc class nonsense');
    expect(() => onNode(failing)).toThrow();
    expect(rootQueue()).not.toContain('52a1');
    expect(existsSync('/run/ringlab-limits')).toBe(false);
  });

  test('leaves and names a queueing discipline set by others', () => {
    onNode('tc qdisc replace dev eth0 root handle 7: tbf rate 100mbit burst 64kb limit 64kb');
    const script = limitScript(toPeer, 60, tag);
    expect(() => onNode(script)).toThrow();
    expect(onNode(`(${script}\n) || :`)).toContain('taken eth0 tbf');
    expect(rootQueue()).toContain('tbf 7:');
    // Also one of a kind that kernels set.
    onNode('tc qdisc delete dev eth0 root; tc qdisc add dev eth0 root handle 8: pfifo_fast');
    expect(onNode(`(${script}\n) || :`)).toContain('taken eth0 pfifo_fast');
    expect(rootQueue()).toContain('pfifo_fast 8:');
  });

  test('another lab’s limits stay as they are until they are lifted or expire', () => {
    const other = '0b77e2d4';
    const mine = limitScript(toPeer, 3600, tag);
    const theirs = limitScript(theirPeer, 3600, other);
    const rate = (): string => onNode('tc class show dev eth0');
    onNode(mine);
    expect(onNode(`(${theirs}\n) || :`)).toBe('held\n');
    expect(rate()).toContain('10Mbit');
    expect(() => onNode(renewScript(theirPeer, 3600, other))).toThrow();
    onNode(liftScript(other));
    expect(rootQueue()).toContain('52a1');
    onNode(renewScript(toPeer, 3600, tag));
    onNode(liftScript(tag));
    expect(onNode(theirs)).toBe('limited eth0\n');
    expect(() => onNode(renewScript(toPeer, 3600, tag))).toThrow();
    // No watchdog lifts them: as if they had just expired.
    execFileSync('sh', ['-c', 'kill -STOP "$(cat /run/ringlab-limits/guard.pid)"']);
    onNode(renewScript(theirPeer, 0, other));
    expect(onNode(mine)).toBe('limited eth0\n');
    expect(rate()).toContain('10Mbit');
    execFileSync('sh', ['-c', 'kill -CONT "$(cat /run/ringlab-limits/guard.pid)"']);
    onNode(liftScript(tag));
    expect(rootQueue()).not.toContain('52a1');
  });

  test('with iproute2 before 5.8, which cannot show the root queue alone: leaves others’, and removes its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-tc-'));
    try {
      const tc = execFileSync('sh', ['-c', 'command -v tc'], { encoding: 'utf8' }).trim();
      const older = `#!/bin/sh
case "$1 $2 $5" in 'qdisc show root') echo 'What is "root"? Try "tc qdisc help".' >&2; exit 1;; esac
exec ${tc} "$@"
`;
      writeFileSync(join(folder, 'tc'), older);
      chmodSync(join(folder, 'tc'), 0o755);
      const withOlder = (script: string): string =>
        onNode(script, { PATH: `${folder}:${process.env.PATH ?? ''}` });
      const script = limitScript(toPeer, 60, tag);
      onNode('tc qdisc replace dev eth0 root handle 7: tbf rate 100mbit burst 64kb limit 64kb');
      expect(withOlder(`(${script}\n) || :`)).toContain('taken eth0 tbf');
      expect(rootQueue()).toContain('tbf 7:');
      onNode('tc qdisc delete dev eth0 root');
      expect(withOlder(script)).toBe('limited eth0\n');
      expect(rootQueue()).toContain('52a1');
      withOlder(liftScript(tag));
      expect(rootQueue()).not.toContain('52a1');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('over SSH: applied and edited during a run, renewed, removed; impossible limits are reported', async () => {
    const server = await startSshd({ loginShell: `nsenter --net=/run/netns/${node} sh` });
    const own = await testPool();
    const reach = createReach({ pool: own.pool, dataFolder: own.dataFolder });
    const events = createEventLog();
    const problems: unknown[] = [];
    events.subscribe((event) => {
      if (event.name === 'app.problem') problems.push(event.data.error);
    });
    const limits = createLimits({ reach, events, dataFolder: own.dataFolder, lifeSeconds: 15 });
    try {
      const lab = drawn('limits', ['a', 'b', 'c'], ['a-b@10', 'b-c@10']);
      const authentication = { method: 'key', keyFile: server.keyFile } as const;
      const { host, port, user } = server;
      lab.nodes[0]!.access = { type: 'ssh', host, port, user, authentication };
      const addresses = new Map([
        ['a', '192.0.2.1'],
        ['b', '192.0.2.2'],
      ]);
      await limits.apply(lab, addresses);
      expect(rootQueue()).not.toContain('52a1');
      lab.experiment = { ...lab.experiment, limitLinks: true };
      await limits.apply(lab, addresses);
      expect(await megabits('192.0.2.2', 2_000_000)).toBeLessThan(10.5);
      const links = lab.links.map((link) => ({ ...link, bandwidthMbps: 40 }));
      await limits.reshape({ ...lab, links });
      // A node that is deleted from the drawing takes its links along; the run goes on, within its limits.
      await limits.reshape({ ...lab, nodes: lab.nodes.slice(0, 1), links: [] });
      expect(rootQueue()).toContain('52a1');
      expect(await megabits('192.0.2.2', 8_000_000)).toBeGreaterThan(12);
      // Extended by a renewal, not by the change before.
      const before = deadline();
      await expect.poll(deadline, { timeout: 60_000, interval: 200 }).toBeGreaterThan(before);
      expect(rootQueue()).toContain('52a1');
      await limits.lift(lab.id);
      expect(rootQueue()).not.toContain('52a1');
      expect(problems).toEqual([]);
      onNode('tc qdisc replace dev eth0 root handle 7: tbf rate 100mbit burst 64kb limit 64kb');
      await limits.apply(lab, addresses);
      expect(problems).toMatchObject([{ code: 'limit_failed', params: { node: 'A' } }]);
      await limits.lift(lab.id);
      onNode('tc qdisc delete dev eth0 root');
      await limits.apply(lab, new Map([...addresses, ['c', '203.0.113.9']]));
      const reason = 'no route leads to C at 203.0.113.9';
      expect(problems.splice(1)).toMatchObject([{ params: { reason } }]);
      await limits.lift(lab.id);
      await limits.apply({ ...lab, id: 'first' }, addresses);
      await limits.apply(lab, addresses);
      expect(problems.slice(1)).toMatchObject([
        { code: 'limit_failed', params: { reason: expect.stringContaining('another lab') as string } },
      ]);
      await limits.lift(lab.id);
      expect(rootQueue()).toContain('52a1');
      await limits.lift('first');
      expect(rootQueue()).not.toContain('52a1');
    } finally {
      limits.close();
      await reach.close();
      await own.close();
      await server.stop();
    }
  });
});
