/**
 * Tests WireGuard between nodes in real namespaces, with the real `wg` and, where the kernel has none, the real
 * wireguard-go: a firewall that blocks the UDP port, a rebooted machine, a node that claims another's address,
 * addresses that lead nowhere, changed keys.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';
import type { NodeFacts } from '../../shared/node/provision.ts';
import { systemClock } from '../base/clock.ts';
import type { NetworkNode } from '../provision/network/network-node.ts';
import { createNodeShell } from '../provision/node/node-shell.ts';
import { createReadinessBook } from '../provision/node/readiness.ts';
import { removeFromNode } from '../provision/service/removal.ts';
import { createRights, forgetfulMemory } from '../provision/node/rights.ts';
import type { NodeWork, StepContext } from '../provision/engine/step.ts';
import { readFacts } from '../provision/node/read-facts.ts';
import { createTunnelStep } from '../provision/network/tunnel-step.ts';
import { createAsker, type Asker } from '../provision/testing/asker.ts';
import { labOf } from '../provision/testing/bench.ts';
import { machineOf } from '../provision/node/trainer-origin.ts';
import type { TunnelPlace } from '../provision/network/network-node.ts';
import { interfaceName, raiseTunnel, tunnelFolder } from '../provision/network/tunnel/index.ts';
import { createLocalShell, type LocalShell } from '../ssh/testing/local-shell.ts';
import { linesIn } from '../../shared/base/phrase.ts';

const has = (name: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
};
const canRun =
  process.platform === 'linux' && process.getuid?.() === 0 && ['wg', 'wireguard-go', 'nft', 'ip'].every(has);
const tag = process.pid.toString(36);
const owner = `test${tag}`;
const sh = (script: string): string => execFileSync('sh', ['-ec', script], { encoding: 'utf8' });
const spaces = ['a', 'b'].map((end) => `ringlab-${tag}-${end}`);
const [a = '', b = ''] = spaces;

interface End {
  readonly node: LabNode;
  readonly space: string;
  readonly shell: LocalShell;
  readonly facts: NodeFacts;
  readonly work: NodeWork;
}

let folder = '';
let lab: LabDocument;
let asker: Asker;
let ends: End[] = [];
const signal = new AbortController().signal;
let book: ReturnType<typeof createReadinessBook>;
let rights: ReturnType<typeof createRights>;
const step = createTunnelStep(owner);

/** What the engine does with the step. */
async function prepare(end: End, redo = false): Promise<void> {
  const status = book.node(lab.id, end.node.id).step('tunnel');
  const context: StepContext = {
    lab,
    node: end.node,
    machine: machineOf(end.shell),
    shell: createNodeShell(end.shell, status, signal),
    rights: rights.of(end.shell),
    work: end.work,
    status,
    signal,
    connect: () => Promise.resolve(end.shell),
    reboot: () => Promise.reject(new Error('not used here')),
    redo,
  };
  if ((await step.check(context)) !== undefined) return;
  await step.apply(context);
  await step.verify(context);
}
const raise = async (seconds = 7): Promise<Map<string, TunnelPlace>> => {
  const nodes = ends.map((end): NetworkNode => ({
    node: end.node,
    status: book.node(lab.id, end.node.id),
    session: end.shell,
    facts: end.facts,
    tunnel: end.work.tunnel,
    trainer: '',
    environment: {},
  }));
  const made = await raiseTunnel({
    lab,
    nodes,
    raised: undefined,
    record: ({ status }) => status.step('network'),
    rights,
    owner,
    signal,
    roundSeconds: seconds,
  });
  if (made === undefined) throw new Error('all nodes are one machine');
  return made;
};
const log = (): string =>
  linesIn(
    ends.flatMap(({ node }) =>
      (['tunnel', 'network'] as const).flatMap((id) => book.node(lab.id, node.id).step(id).log.lines),
    ),
    'en',
  );
const name = (index: number): string => interfaceName(owner, lab.id, lab.nodes[index]?.id ?? '');
const keyOf = (index: number): string =>
  readFileSync(join(tunnelFolder, `${name(index)}.key`), 'utf8').trim();
/**
 * Whether a datagram from this address arrives at the other end within `seconds`. One is sent every 200 ms: WireGuard repeats a
 * handshake that was lost after five seconds, and keeps few datagrams until then.
 */
const arrives = (from: string, to: string, seconds = 20): boolean => {
  try {
    sh(`ip netns exec ${b} timeout ${seconds + 10} python3 -c "
import socket, subprocess
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('${to}', 9999)); s.settimeout(${seconds})
sender = subprocess.Popen(['ip', 'netns', 'exec', '${a}', 'python3', '-c', 'import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((\\"${from}\\", 0)); [(s.sendto(b\\"x\\", (\\"${to}\\", 9999)), time.sleep(0.2)) for _ in range(${seconds * 5})]'])
try: s.recv(10)
finally: sender.kill()"`);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!canRun)('WireGuard between two nodes', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-tunnel-'));
    sh(`for one in ${spaces.join(' ')}; do ip netns add $one; ip -n $one link set lo up; done
      ip -n ${a} link add cable type veth peer name cable netns ${b}
      ip -n ${a} address add 198.19.210.1/24 dev cable; ip -n ${a} link set cable mtu 1400 up
      ip -n ${b} address add 198.19.210.2/24 dev cable; ip -n ${b} link set cable mtu 1400 up`);
    lab = labOf(['anna', 'berta'], { encrypt: true });
    lab = { ...lab, id: `lab-${tag}` };
    asker = createAsker();
    rights = createRights({ prompter: asker, memory: forgetfulMemory() });
    book = createReadinessBook(systemClock, () => undefined);
    ends = [];
    for (const [index, node] of lab.nodes.entries()) {
      const home = join(folder, node.id);
      mkdirSync(home);
      const space = spaces[index] ?? '';
      const shell = createLocalShell({ home, name: node.name, through: ['ip', 'netns', 'exec', space] });
      const status = book.node(lab.id, node.id).step('facts');
      const { facts } = await readFacts(createNodeShell(shell, status, signal), systemClock);
      ends.push({ node, space, shell, facts, work: { facts } });
    }
  }, 60_000);
  afterEach(() => {
    sh(`for one in ${spaces.join(' ')}; do
        for link in $(ip -n $one -o link show | sed -n 's/^[0-9]*: \\(rlwg[0-9a-f]*\\)[:@].*/\\1/p'); do ip -n $one link delete $link; done
        ip netns delete $one
      done
      rm -f ${[0, 1].map((index) => `${tunnelFolder}/${name(index)}.*`).join(' ')}`);
    rmSync(folder, { recursive: true, force: true });
  });

  it('keys stay on the node; a peer may send from its own address only; a restarted machine is connected again', async () => {
    for (const end of ends) await prepare(end);
    expect(asker.questions.map(({ kind }) => kind)).toContain('consent');
    const [first = '', second = ''] = [...(await raise()).values()].map(({ address }) => address);
    expect(statSync(join(tunnelFolder, `${name(0)}.key`)).mode & 0o777).toBe(0o600);
    const scripts = ends.flatMap(({ shell }) => shell.scripts).join('\n');
    for (const index of [0, 1]) {
      expect(`${scripts}\n${log()}\n${JSON.stringify(asker.questions)}`).not.toContain(keyOf(index));
      expect(readFileSync(join(tunnelFolder, `${name(index)}.conf`), 'utf8')).not.toContain(keyOf(index));
    }
    expect(sh(`ip netns exec ${b} wg show ${name(1)} allowed-ips`).trim()).toMatch(
      new RegExp(`\\t${first}/32$`),
    );
    expect(sh(`ip -n ${a} -o link show ${name(0)}`)).toContain('mtu 1340');
    expect(arrives(first, second)).toBe(true);
    // Both ends open a stateful firewall before them, and keep it open.
    for (const [index, space] of spaces.entries())
      expect(sh(`ip netns exec ${space} wg show ${name(index)} persistent-keepalive`).trim()).toMatch(
        /\t25$/,
      );

    // A hostile node gives itself an address of another: what it sends from there is not taken.
    const claimed = first.replace(/\d+$/, '77');
    sh(
      `ip -n ${a} address add ${claimed}/32 dev ${name(0)}; ip -n ${b} route add ${claimed}/32 dev ${name(1)}`,
    );
    expect(arrives(claimed, second, 4)).toBe(false);

    const process = sh(`ip -n ${a} -o link show ${name(0)}`);
    await raise();
    // What stands as it should is not touched, but for the address that is none of its own.
    expect(sh(`ip -n ${a} -o link show ${name(0)}`)).toBe(process);
    expect(sh(`ip -n ${a} -o -4 address show dev ${name(0)}`)).not.toContain(claimed);

    sh(`ip -n ${b} link delete ${name(1)}`);
    await raise();
    expect(log()).toContain(`${name(1)} was down: brought up`);
    expect(arrives(first, second)).toBe(true);
  }, 120_000);

  it('a firewall that blocks the port is reported with its node, and nodes without an address for each other as such', async () => {
    for (const end of ends) await prepare(end);
    const found = ends;
    ends = found.map((end, index) => {
      const addresses = ['10.250.0.8', `127.0.0.${index + 2}`].map((address) => ({
        interface: 'x',
        address,
      }));
      return { ...end, facts: { ...end.facts, addresses } };
    });
    await expect(raise(1)).rejects.toMatchObject({ code: 'tunnel_unavailable', where: 'berta' });
    ends = found;
    sh(`ip netns exec ${b} nft -f - <<'END'
table inet wall {
  chain in { type filter hook input priority 0; udp dport 51820-51869 drop; }
}
END`);
    // Its own greetings reach the other, whose answers come to the closed port, too.
    await expect(raise(6)).rejects.toMatchObject({
      code: 'tunnel_unreachable',
      params: { from: 'anna', to: 'berta', port: 51_820 },
    });
    sh(`ip netns exec ${b} nft delete table inet wall`);
    await raise();
  }, 120_000);

  it('nodes that meet at a later address do so at each preparation; a firewall that is closed meanwhile is noticed', async () => {
    // Two sites with one private network each: what looks like the nearest address leads nowhere.
    ends = ends.map((end, index) => {
      sh(`ip -n ${end.space} link add nowhere type bridge; ip -n ${end.space} link set nowhere up
        ip -n ${end.space} address add 10.250.0.${8 + index}/24 dev nowhere`);
      const addresses = [
        { interface: 'nowhere', address: `10.250.0.${8 + index}` },
        { interface: 'cable', address: `198.19.210.${1 + index}` },
      ];
      return { ...end, facts: { ...end.facts, addresses } };
    });
    for (const end of ends) await prepare(end);
    const endpoints = (): string[] =>
      spaces.map((space, index) => sh(`ip netns exec ${space} wg show ${name(index)} endpoints`).trim());
    for (const _ of ['first', 'second']) {
      const [first = '', second = ''] = [...(await raise()).values()].map(({ address }) => address);
      expect(endpoints()).toEqual([
        `${ends[1]?.work.tunnel?.publicKey ?? ''}\t198.19.210.2:51820`,
        `${ends[0]?.work.tunnel?.publicKey ?? ''}\t198.19.210.1:51820`,
      ]);
      expect(arrives(first, second)).toBe(true);
      // That of the cable, whose MTU is 1400; the other device has 1500.
      expect(sh(`ip -n ${a} -o link show ${name(0)}`)).toContain('mtu 1340');
    }
    sh(`ip netns exec ${b} nft -f - <<'END'
table inet wall {
  chain in { type filter hook input priority 0; udp dport 51820-51869 drop; }
}
END`);
    await expect(raise(3)).rejects.toMatchObject({ code: 'tunnel_unreachable' });
    // Where peers could not be added again, as after a failure of sudo, their earlier sessions count for nothing.
    ends = ends.map((end) => {
      const exec: LocalShell['exec'] = async (script, how) =>
        script.includes('renew()')
          ? { code: 1, signal: null, stdout: '', stderr: 'sudo: a password is required' }
          : end.shell.exec(script, how);
      return { ...end, shell: { ...end.shell, exec } };
    });
    await expect(raise(3)).rejects.toMatchObject({
      code: 'tunnel_unavailable',
      detail: 'sudo: a password is required',
    });
  }, 180_000);

  it('nodes that are prepared while another one trains keep the addresses at which it knows them', async () => {
    for (const end of ends) await prepare(end);
    const addressesNow = async (): Promise<string[]> =>
      [...(await raise()).values()].map(({ address }) => address);
    const [usual = ''] = await addressesNow();
    const block = usual.replace(/\d+$/, '0/24');
    // Stands for a network of the third node, which is known only while that node is prepared.
    sh(`ip -n ${b} route add ${block} dev cable`);
    const both = await addressesNow();
    expect(both[0]).not.toBe(usual);
    sh(`ip -n ${b} route delete ${block} dev cable`);
    const [node] = lab.nodes;
    lab = { ...lab, nodes: [...lab.nodes, { ...node!, id: 'third', name: 'third' }] };
    expect(await addressesNow()).toEqual(both);
    expect(arrives(both[0] ?? '', both[1] ?? '')).toBe(true);
    expect(sh(`ip -n ${a} -o -4 address show dev ${name(0)}`)).toContain(both[0]);
    // Where their block is no longer free on them, the old address stays for the one that trains.
    sh(`ip -n ${b} route add ${(both[0] ?? '').replace(/\d+$/, '0/24')} dev cable`);
    expect((await addressesNow())[0]).not.toBe(both[0]);
    expect(sh(`ip -n ${a} -o -4 address show dev ${name(0)}`)).toContain(both[0]);
  }, 120_000);

  it('while a rank uses the addresses they stay, also where a network appears in their block', async () => {
    for (const end of ends) await prepare(end);
    const addressesNow = async (): Promise<string[]> =>
      [...(await raise()).values()].map(({ address }) => address);
    const [first = '', second = ''] = await addressesNow();
    const shown = ['-c', 'import time; time.sleep(600)', 'ringlab-train', '--address', second];
    const rank = spawn('ip', ['netns', 'exec', b, 'python3', ...shown], { stdio: 'ignore' });
    try {
      await expect.poll(() => sh(`tr '\\0' ' ' </proc/${rank.pid ?? 0}/cmdline`)).toContain(second);
      sh(`ip -n ${b} route add ${second.replace(/\d+\.\d+$/, '0.0/16')} dev cable`);
      expect(await addressesNow()).toEqual([first, second]);
      expect(arrives(first, second)).toBe(true);
    } finally {
      rank.kill('SIGKILL');
      await new Promise((resolve) => rank.once('exit', resolve));
    }
    expect(await addressesNow()).not.toContain(second);
  }, 120_000);

  it('a port that another program took meanwhile is passed over, and nothing of the try is left', async () => {
    for (const end of ends) await prepare(end);
    const program = `import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 51820)); time.sleep(600)`;
    const other = spawn('ip', ['netns', 'exec', b, 'python3', '-c', program], { stdio: 'ignore' });
    const isTaken = (): boolean => sh(`ip netns exec ${b} cat /proc/net/udp`).includes(':CA6C ');
    await expect.poll(isTaken).toBe(true);
    // As if the node had been asked before: its list of ports in use lacks this one.
    ends = ends.map((end, index) => {
      const exec: LocalShell['exec'] = async (script, how) => {
        const result = await end.shell.exec(script, how);
        return { ...result, stdout: result.stdout.replaceAll('udp CA6C\n', '') };
      };
      return index === 1 ? { ...end, shell: { ...end.shell, exec } } : end;
    });
    try {
      for (const _ of ['first', 'second']) {
        const [first = '', second = ''] = [...(await raise()).values()].map(({ address }) => address);
        expect(sh(`ip netns exec ${b} wg show ${name(1)} listen-port`).trim()).toBe('51821');
        expect(sh(`ip netns exec ${a} wg show ${name(0)} endpoints`)).toContain('198.19.210.2:51821');
        expect(arrives(first, second)).toBe(true);
      }
    } finally {
      other.kill('SIGKILL');
      await new Promise((resolve) => other.once('exit', resolve));
    }
  }, 120_000);

  it('a new key is distributed at once; if encryption is switched off or removed, nothing is left', async () => {
    for (const end of ends) await prepare(end);
    await raise();
    const before = [keyOf(0), keyOf(1)];
    for (const end of ends) await prepare(end);
    expect([keyOf(0), keyOf(1)]).toEqual(before);
    for (const end of ends) await prepare(end, true);
    expect([keyOf(0), keyOf(1)].filter((key) => before.includes(key))).toEqual([]);
    const [first = '', second = ''] = [...(await raise()).values()].map(({ address }) => address);
    expect(arrives(first, second)).toBe(true);
    expect(
      sh(`ip netns exec ${a} wg show ${name(0)} peers`)
        .trim()
        .split('\n'),
    ).toEqual([ends[1]?.work.tunnel?.publicKey]);

    const [anna, berta] = ends;
    if (anna === undefined || berta === undefined) throw new Error('two ends');
    lab = { ...lab, experiment: { ...lab.experiment, encrypt: false } };
    await prepare(anna);
    const shell = createNodeShell(berta.shell, book.node(lab.id, berta.node.id).step('facts'), signal);
    await removeFromNode(shell, berta.facts, rights.of(berta.shell), owner, signal);
    const left = existsSync(tunnelFolder) ? readdirSync(tunnelFolder) : [];
    expect(left.filter((file) => file.startsWith(name(0)) || file.startsWith(name(1)))).toEqual([]);
    for (const [index, space] of spaces.entries())
      expect(sh(`ip -n ${space} link show`)).not.toContain(name(index));
  }, 120_000);
});
