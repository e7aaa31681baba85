import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { AnyEvent } from '../../shared/contract/api.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { createEventLog } from '../base/events.ts';
import type { Networks, RaisedNetwork } from './contract.ts';
import { namespaceOf, ownerOf } from './names.ts';
import { tryAbility, type Ability } from './means.ts';
import { createNetworks } from './networks.ts';
import type { RootShell } from './root-shell.ts';
import { drawn, noNamespaces } from './testing/lab.ts';
import { inNamespace, sendTo, sendToEach, startListener } from './testing/pairs.ts';

const trainerBinary = fileURLToPath(new URL('../../../native/build/ringlab-train', import.meta.url));
const dataFolder = `/test/${process.pid}`;
const open: Networks[] = [];
const listeners: ChildProcess[] = [];
const seen: AnyEvent[] = [];
const networks = (folder = dataFolder): Networks => {
  const events = createEventLog();
  events.subscribe((event) => seen.push(event));
  const made = createNetworks({ dataFolder: folder, events, trainerBinary });
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const listener of listeners.splice(0)) {
    const gone = new Promise((resolve) => listener.once('exit', resolve));
    listener.kill('SIGKILL');
    await gone;
  }
  for (const one of open.splice(0)) await one.close([]);
  seen.length = 0;
});
/** Ignores other networks on this machine. */
const labIds = [
  'shape',
  'rate',
  'edit',
  'again',
  'live',
  'dead',
  'half',
  'down',
  'apart',
  'far',
  'bent',
  'ways',
];
const ourPrefixes = [dataFolder, `${dataFolder}-other`].flatMap((folder) =>
  labIds.map((labId) => namespaceOf(ownerOf(folder), labId, '')),
);
const here = (): string[] =>
  execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => ourPrefixes.some((prefix) => name.startsWith(prefix)));
afterAll(() => {
  if (noNamespaces === undefined) expect(here()).toEqual([]);
});

const raise = async (on: Networks, lab: LabDocument): Promise<RaisedNetwork> => {
  const network = await on.raise(lab);
  if (network === undefined) throw new Error(JSON.stringify(await on.state(lab)));
  return network;
};
const listenAt = async (network: RaisedNetwork, nodeId: string): Promise<void> => {
  listeners.push(await startListener(network.place(nodeId)!.namespace, nodeId));
};

/** Bytes that a namespace has sent through a device. */
async function sentBy(namespace: string, device: string): Promise<number> {
  const text = await inNamespace(namespace, 'cat', '/proc/net/dev');
  return Number(new RegExp(`${device}:\\s*(?:\\d+\\s+){8}(\\d+)`).exec(text)?.[1]);
}

/** Packets that a device carries in one piece. */
async function packetsAtOnce(namespace: string, device: string): Promise<number> {
  const text = await inNamespace(namespace, 'ip', '-d', 'link', 'show', 'dev', device);
  return Number(/gso_max_segs (\d+)/.exec(text)?.[1]);
}

describe.skipIf(noNamespaces !== undefined)(`in namespaces (${noNamespaces ?? 'root'})`, () => {
  test('measurements are kept until the node’s links change, go down or are removed', async () => {
    const on = networks();
    const lab = drawn('edit', ['a', 'b', 'c'], ['a-b', 'b-c']);
    const measurements = [
      { from: 'b', to: 'a', mbps: 9, rttMs: 1 },
      { from: 'c', to: 'b', mbps: 9, rttMs: 1 },
    ];
    expect(on.remembered(lab)).toBeUndefined();
    await raise(on, lab);
    on.measured(lab, measurements);
    expect(on.remembered(lab)).toEqual(measurements);
    await raise(on, lab);
    expect(on.remembered(lab)).toEqual(measurements);

    const slower = {
      ...lab,
      links: lab.links.map((link, index) => (index === 0 ? { ...link, bandwidthMbps: 3 } : link)),
    };
    await raise(on, slower);
    expect(on.remembered(slower)).toEqual(measurements.slice(1));

    const last = slower.links[1]?.id ?? '';
    await on.setDown(lab.id, last, true);
    expect(on.remembered(slower)).toBeUndefined();
    await on.setDown(lab.id, last, false);
    expect(on.remembered(slower)).toEqual(measurements.slice(1));
    await on.remove(lab.id);
    expect(on.remembered(slower)).toBeUndefined();
  });

  test('a dry run shows exactly the scripts of the real start, and changes nothing', async () => {
    const ran: string[] = [];
    const recorded = async (): Promise<Ability> => {
      const can = await tryAbility();
      if (!can.able) return can;
      const run: RootShell['run'] = (script, ...rest) => {
        ran.push(script);
        return can.shell.run(script, ...rest);
      };
      return { ...can, shell: { ...can.shell, run } };
    };
    const on = createNetworks({ dataFolder, events: createEventLog(), ability: recorded });
    open.push(on);
    const lab = drawn('again', ['a', 'b', 'c'], ['a-b', 'b-c']);
    const more = drawn('again', ['a', 'b', 'c', 'd'], ['a-b', 'b-c', 'c-d']);
    const raised: (readonly string[])[] = [];
    // New, existing, and changed in the drawing.
    for (const one of [lab, lab, more]) {
      const before = here();
      const changes = (await on.changes(one)) ?? [];
      expect(here()).toEqual(before);
      const looks = new Set(ran.splice(0));
      await raise(on, one);
      expect(ran.splice(0).filter((script) => !looks.has(script))).toEqual(
        changes.map(({ script }) => script),
      );
      raised.push(changes.map(({ what }) => what));
    }
    expect(raised).toEqual([['create'], ['shape'], ['remove', 'create']]);
    expect(await on.changes(drawn('again', [], []))).toBeUndefined();
    await expect(on.changes(drawn('apart', ['a', 'b', 'c'], ['a-b']))).rejects.toMatchObject({
      code: 'network_apart',
    });
  });

  test.each([
    ['chain', ['a', 'b', 'c'], ['a-b', 'b-c']],
    ['star', ['a', 'b', 'c', 'd'], ['a-b', 'a-c', 'a-d']],
    ['ring', ['a', 'b', 'c', 'd'], ['a-b', 'b-c', 'c-d', 'd-a']],
    ['tree', ['a', 'b', 'c', 'd', 'e'], ['a-b', 'a-c', 'b-d', 'b-e']],
    ['mesh', ['a', 'b', 'c'], ['a-b', 'b-c', 'c-a']],
    ['switch', ['a', 'b', 'c', 's1'], ['a-s1', 'b-s1', 's1-c']],
    ['two switches', ['a', 'b', 'c', 's1', 's2'], ['a-s1', 's2-s1', 's2-b', 'b-c']],
    ['a circle of switches', ['a', 'b', 's1', 's2', 's3'], ['a-s1', 'b-s2', 's1-s2', 's2-s3', 's3-s1']],
  ])(
    '%s: every node reaches every other at its own address, over the drawn links',
    async (_name, nodes, links) => {
      const lab = drawn('shape', nodes, links);
      const network = await raise(networks(), lab);
      const hosts = nodes.filter((name) => !name.startsWith('s'));
      for (const id of hosts) await listenAt(network, id);
      for (const from of hosts) {
        const others = hosts.filter((to) => to !== from);
        const addresses = others.map((to) => network.place(to)!.address);
        const sent = await sendToEach(network.place(from)!.namespace, addresses, 10);
        expect(sent).toMatchObject(others.map((name) => ({ name, bytes: 10 })));
      }
      expect(network.place('s1')).toBeUndefined();
    },
  );

  test('in a chain of 10 Mbps, traffic crosses both links at no more than the drawn bandwidth', async () => {
    const network = await raise(networks(), drawn('rate', ['a', 'b', 'c'], ['a-b', 'b-c']));
    await listenAt(network, 'c');
    const control = '/proc/sys/net/ipv4/tcp_congestion_control';
    // It would use an idle link's microseconds as the round-trip time.
    expect(await inNamespace(network.place('a')!.namespace, 'cat', control)).not.toContain('bbr');
    for (const [id, device] of [
      ['a', 'rl1'],
      ['b', 'rl1'],
      ['b', 'rl2'],
      ['c', 'rl2'],
    ] as const)
      expect(await packetsAtOnce(network.place(id)!.namespace, device)).toBe(1);
    const before = await sentBy(network.place('a')!.namespace, 'rl1');
    const bytes = 2_500_000;
    const sent = await sendTo(network.place('a')!.namespace, network.place('c')!.address, bytes);
    const megabits = (sent.bytes * 8) / sent.seconds / 1e6;
    // A busy machine may be slower than the shaping.
    expect(megabits).toBeGreaterThan(3);
    expect(megabits).toBeLessThan(10.2);
    expect((await sentBy(network.place('a')!.namespace, 'rl1')) - before).toBeGreaterThan(bytes);
  });

  test('an edit of an active link applies at once; impossible edits are reported', async () => {
    const service = networks();
    const lab = drawn('edit', ['a', 'b'], ['a-b']);
    const network = await raise(service, lab);
    await listenAt(network, 'b');
    const fastest = { ...lab, links: lab.links.map((link) => ({ ...link, bandwidthMbps: 1000 })) };
    await service.reshape(fastest);
    expect(await packetsAtOnce(network.place('a')!.namespace, 'rl1')).toBe(65_535);
    const faster = { ...lab, links: lab.links.map((link) => ({ ...link, bandwidthMbps: 100, delayMs: 5 })) };
    await service.reshape(faster);
    const sent = await sendTo(network.place('a')!.namespace, network.place('b')!.address, 12_500_000);
    const megabits = (sent.bytes * 8) / sent.seconds / 1e6;
    expect(megabits).toBeGreaterThan(12);
    expect(megabits).toBeLessThan(102);
    const state = await service.state(faster);
    expect(state.emulated).toBe(true);
    expect(state.links[0]!.lacking).toEqual(hasNetem() || existsSync(trainerBinary) ? [] : ['delay']);
  });

  const hasNetem = (): boolean =>
    execFileSync('sh', ['-c', 'grep -c " netem_" /proc/kallsyms || :']).toString().trim() !== '0';
  /** Processes that emulate links of a lab of these tests. */
  const programs = (labId: string): string[] =>
    readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(
          `/run/ringlab/${namespaceOf(ownerOf(dataFolder), labId, '')}`,
        );
      } catch {
        return false;
      }
    });
  const withDelay = (lab: LabDocument, shape: Partial<LabDocument['links'][number]>): LabDocument => ({
    ...lab,
    links: lab.links.map((link) => ({ ...link, ...shape })),
  });

  test.skipIf(!existsSync(trainerBinary))(
    'the drawn delay, jitter and loss are real: through a switch, over two links, and gone with the network',
    async () => {
      const service = networks();
      const lab = withDelay(drawn('far', ['a', 's1', 'b', 'c'], ['a-s1', 's1-b', 'b-c@100']), {
        delayMs: 15,
      });
      const network = await raise(service, lab);
      await listenAt(network, 'b');
      await listenAt(network, 'c');
      const from = network.place('a')!.namespace;
      // What is sent is answered after one round trip: two links there and back.
      const near = await sendTo(from, network.place('b')!.address, 1);
      expect(near.seconds).toBeGreaterThan(0.06);
      const far = await sendTo(from, network.place('c')!.address, 1);
      expect(far.seconds).toBeGreaterThan(0.09);
      // With loss and jitter all arrives, in order, as TCP's.
      const rough = withDelay(lab, { delayMs: 2, jitterMs: 1, lossPercent: 1 });
      await service.reshape(rough);
      const sent = await sendTo(from, network.place('c')!.address, 300_000);
      expect(sent).toMatchObject({ name: 'c', bytes: 300_000 });
      expect((await service.state(rough)).links.map(({ lacking }) => lacking)).toEqual([[], [], []]);
      await service.remove('far');
      await expect.poll(() => programs('far')).toEqual([]);
    },
  );

  test.skipIf(!existsSync(trainerBinary))(
    'a delay drawn or removed in mid-run applies at once, and connections survive it',
    async () => {
      const service = networks();
      const lab = drawn('bent', ['a', 'b', 'c'], ['a-b', 'b-c']);
      const network = await raise(service, lab);
      await listenAt(network, 'c');
      const from = network.place('a')!.namespace;
      const sending = sendTo(from, network.place('c')!.address, 4_000_000);
      const delayed = withDelay(lab, { delayMs: 20 });
      await expect.poll(() => sentBy(from, 'rl1')).toBeGreaterThan(100_000);
      await service.reshape(delayed);
      await sendTo(from, network.place('c')!.address, 1).then(({ seconds }) =>
        expect(seconds).toBeGreaterThan(0.08),
      );
      await service.reshape(lab);
      expect(await sending).toMatchObject({ name: 'c', bytes: 4_000_000 });
      await expect.poll(() => programs('bent')).toEqual([]);
      // Where the program was killed, the next start of a run joins the links again.
      await service.reshape(delayed);
      // A kernel with netem needs none.
      if (!hasNetem()) {
        process.kill(Number(programs('bent')[0]), 'SIGKILL');
        await expect.poll(() => programs('bent')).toEqual([]);
        await raise(service, delayed);
        expect(programs('bent')).toHaveLength(1);
        // In mid-run the watch of the links notices.
        service.watch('bent', true);
        process.kill(Number(programs('bent')[0]), 'SIGKILL');
        await expect.poll(() => programs('bent')).toEqual([]);
        await expect.poll(() => programs('bent').length).toBe(1);
      }
      await sendTo(from, network.place('c')!.address, 1).then(({ seconds }) =>
        expect(seconds).toBeGreaterThan(0.08),
      );
    },
  );

  test.skipIf(!existsSync(trainerBinary))(
    'a link that is deleted from the drawing in mid-run stays until its end, also when another is edited',
    async () => {
      const ability = async (): Promise<Ability> => {
        const can = await tryAbility(trainerBinary);
        return can.able ? { ...can, means: { ...can.means, netem: false } } : can;
      };
      const service = createNetworks({ dataFolder, events: createEventLog(), ability });
      open.push(service);
      const lab = withDelay(drawn('bent', ['a', 'b', 'c'], ['a-b', 'b-c']), { delayMs: 30 });
      const network = await raise(service, lab);
      await listenAt(network, 'b');
      const without = { ...lab, links: lab.links.filter(({ id }) => id !== 'l-a-b') };
      await service.reshape(without);
      await service.reshape(withDelay(without, { delayMs: 6 }));
      const from = network.place('a')!.namespace;
      const { name, seconds } = await sendTo(from, network.place('b')!.address, 1);
      expect(name).toBe('b');
      // One round trip over the link that is no longer drawn.
      expect(seconds).toBeGreaterThan(0.06);
      await service.setDown('bent', 'l-a-b', true);
      expect(service.linksDown('bent')).toEqual(['A–B']);
    },
  );

  test('an edit of a link removes its measurements', async () => {
    const service = networks();
    const lab = drawn('edit', ['a', 'b', 'c'], ['a-b', 'b-c']);
    await raise(service, lab);
    service.measured(lab, [
      { from: 'b', to: 'a', mbps: 9, rttMs: 1 },
      { from: 'c', to: 'b', mbps: 9, rttMs: 1 },
      { from: 'c', to: 'a', mbps: 9, rttMs: 1 },
    ]);
    expect((await service.state(lab)).paths).toHaveLength(3);
    const [first, second] = lab.links;
    const edited = { ...lab, links: [first!, { ...second!, bandwidthMbps: 20 }] };
    await service.reshape(edited);
    expect((await service.state(edited)).paths).toMatchObject([{ from: 'b', to: 'a' }]);
  });

  test('a network that is taken over gets the drawn shape, whatever its state', async () => {
    const lab = drawn('live', ['a', 'b'], ['a-b']);
    const killed = networks();
    await raise(killed, lab);
    await killed.reshape({ ...lab, links: lab.links.map((link) => ({ ...link, bandwidthMbps: 500 })) });
    const next = networks();
    await next.adopt([lab]);
    const namespace = namespaceOf(ownerOf(dataFolder), 'live', 'a');
    expect(execFileSync('tc', ['-n', namespace, 'qdisc'], { encoding: 'utf8' })).toContain('rate 10Mbit');
  });

  test('an existing network is reused; for another drawing it is rebuilt, unless a process uses it', async () => {
    const service = networks();
    const lab = drawn('again', ['a', 'b'], ['a-b']);
    const network = await raise(service, lab);
    const inode = await inNamespace(network.place('a')!.namespace, 'readlink', '/proc/self/ns/net');
    await raise(service, lab);
    expect(await inNamespace(network.place('a')!.namespace, 'readlink', '/proc/self/ns/net')).toBe(inode);
    await listenAt(network, 'a');
    const more = drawn('again', ['a', 'b', 'c'], ['a-b', 'b-c']);
    await expect(service.raise(more)).rejects.toMatchObject({ code: 'network_in_use' });
    const [listener] = listeners.splice(0);
    const gone = new Promise((resolve) => listener!.once('exit', resolve));
    listener!.kill('SIGKILL');
    await gone;
    // A tunnel's daemon is no run: it stays after one, and ends with the network.
    const daemon = spawn(
      'nsenter',
      [
        `--net=/run/netns/${network.place('a')!.namespace}`,
        ...['sh', '-c', 'echo wireguard-go > /proc/self/comm; echo ready; read -r _'],
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    listeners.push(daemon);
    await new Promise((resolve) => daemon.stdout.once('data', resolve));
    expect((await raise(service, more)).place('c')).toBeDefined();
  });

  test('the next start takes over networks of active runs and removes the others; other apps’ are unchanged', async () => {
    const [one, two] = [drawn('live', ['a', 'b'], ['a-b']), drawn('dead', ['a', 'b'], ['a-b'])];
    const killed = networks();
    await raise(killed, one);
    await raise(killed, two);
    const other = networks(`${dataFolder}-other`);
    const theirs = await raise(other, one);
    execFileSync('ip', ['netns', 'add', 'ringlab-of-somebody']);
    try {
      expect(here()).toHaveLength(6);
      const next = networks();
      await next.adopt([one]);
      expect(here()).toHaveLength(4);
      expect((await next.state(one)).emulated).toBe(true);
      expect((await next.state(two)).emulated).toBe(false);
      expect(here()).toContain(theirs.place('a')!.namespace);
      await next.close(['live']);
      expect(here()).toHaveLength(4);
      await networks().adopt([]);
      const all = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
      expect(all).toContain('ringlab-of-somebody');
      expect(here()).toHaveLength(2);
    } finally {
      execFileSync('ip', ['netns', 'delete', 'ringlab-of-somebody']);
    }
  });

  test('a half-built network is rebuilt', async () => {
    const lab = drawn('half', ['a', 'b'], ['a-b']);
    const first = networks();
    const { namespace } = (await raise(first, lab)).place('b')!;
    execFileSync('ip', ['netns', 'delete', namespace]);
    const network = await raise(networks(), lab);
    await listenAt(network, 'b');
    expect(await sendTo(network.place('a')!.namespace, network.place('b')!.address, 1)).toMatchObject({
      name: 'b',
    });
  });

  test('a link that goes down is reported, and works again when it is up; throughput is reported', async () => {
    const service = networks();
    const lab = drawn('down', ['a', 'b', 'c'], ['a-b', 'b-c']);
    const network = await raise(service, lab);
    await listenAt(network, 'c');
    service.watch('down', true);
    const linksDown = (): string[] | undefined =>
      seen
        .findLast((event) => event.name === 'net.changed')
        ?.data.state.links.filter((link) => link.down)
        .map(({ linkId }) => linkId);
    const sending = sendTo(network.place('a')!.namespace, network.place('c')!.address, 2_500_000);
    // On a busy machine a sample may be late, and half of its interval idle.
    const isTold = (event: AnyEvent): boolean =>
      event.name === 'net.traffic' && event.data.links.every(({ forward }) => forward > 1e6);
    await expect.poll(() => seen.some(isTold)).toBe(true);
    await sending;
    execFileSync('ip', ['-n', network.place('b')!.namespace, 'link', 'set', 'rl2', 'down']);
    await expect.poll(linksDown).toEqual(['l-b-c']);
    execFileSync('ip', ['-n', network.place('b')!.namespace, 'link', 'set', 'rl2', 'up']);
    await expect.poll(linksDown).toEqual([]);
    expect(await sendTo(network.place('a')!.namespace, network.place('c')!.address, 1)).toMatchObject({
      name: 'c',
    });
  });

  test('a link that is up again has its routes while others are down, and a run can start over what is left', async () => {
    const service = networks();
    const chain = drawn('down', ['a', 'b', 'c', 'd'], ['a-b', 'b-c', 'c-d']);
    const network = await raise(service, chain);
    for (const id of ['c', 'd']) await listenAt(network, id);
    for (const id of ['l-a-b', 'l-b-c']) await service.setDown('down', id, true);
    await service.setDown('down', 'l-b-c', false);
    const reaches = (from: string, to: string) =>
      sendTo(network.place(from)!.namespace, network.place(to)!.address, 1);
    expect(await reaches('b', 'c')).toMatchObject({ name: 'c' });
    expect(service.linksDown('down')).toEqual(['A–B']);
    await raise(service, chain);
    expect(await reaches('b', 'd')).toMatchObject({ name: 'd' });
    // Drawn anew: a link with a delay has other devices where the kernel has no netem.
    await service.reshape(withDelay(chain, { delayMs: 1 }));
    expect(await reaches('b', 'd')).toMatchObject({ name: 'd' });
  });

  test('switches that are linked in a cycle carry frames over the link that was blocked while another is down', async () => {
    const service = networks();
    const links = ['a-s1', 'b-s2', 's1-s2@1000', 's2-s3@100', 's3-s1@100'];
    const drawing = drawn('ways', ['a', 'b', 's1', 's2', 's3'], links);
    const lab: LabDocument = { ...drawing, experiment: { ...drawing.experiment, onLinkDown: 'reroute' } };
    const network = await raise(service, lab);
    await listenAt(network, 'b');
    const reaches = () => sendTo(network.place('a')!.namespace, network.place('b')!.address, 1);
    const blocked = () => sentBy(namespaceOf(ownerOf(dataFolder), 'ways', 's1'), 'rl5');
    expect(await reaches()).toMatchObject({ name: 'b' });
    await service.setDown('ways', 'l-s1-s2', true);
    expect(service.linksDown('ways')).toEqual([]);
    expect(await reaches()).toMatchObject({ name: 'b' });
    await raise(service, lab);
    expect(await reaches()).toMatchObject({ name: 'b' });
    // Frames of a cycle would circulate for ever.
    await service.setDown('ways', 'l-s1-s2', false);
    expect(await reaches()).toMatchObject({ name: 'b' });
    const before = await blocked();
    expect(await reaches()).toMatchObject({ name: 'b' });
    expect(await blocked()).toBe(before);
  });

  test('a node with two links into one group of switches is reached over the drawn way, not over the other', async () => {
    const links = ['a-s3', 's3-s1', 's3-s2', 'b-s1@100', 'b-s2', 'c-s1', 'c-s2@100'];
    const network = await raise(networks(), drawn('ways', ['a', 'b', 'c', 's1', 's2', 's3'], links));
    const a = network.place('a')!.namespace;
    for (const id of ['b', 'c']) await listenAt(network, id);
    // Which of two answers comes first is chance.
    for (let time = 0; time < 5; time += 1) {
      await inNamespace(a, 'ip', 'neigh', 'flush', 'dev', 'rl1');
      for (const id of ['b', 'c']) await sendTo(a, network.place(id)!.address, 1);
      expect(await sentBy(network.place('b')!.namespace, 'rl5')).toBe(0);
      expect(await sentBy(network.place('c')!.namespace, 'rl6')).toBe(0);
    }
  });

  test('the start of a run keeps the other ways that traffic takes', async () => {
    const service = networks();
    const ring = drawn('ways', ['a', 'b', 'c'], ['a-b', 'b-c', 'c-a']);
    const lab: LabDocument = { ...ring, experiment: { ...ring.experiment, onLinkDown: 'reroute' } };
    const network = await raise(service, lab);
    await listenAt(network, 'b');
    await service.setDown('ways', 'l-a-b', true);
    await raise(service, lab);
    const { namespace } = network.place('a')!;
    expect(await sendTo(namespace, network.place('b')!.address, 1)).toMatchObject({ name: 'b' });
  });

  test('where the lab says so, traffic takes other ways while links are down', async () => {
    const service = networks();
    const ring = drawn('ways', ['a', 'b', 'c', 'd'], ['a-b', 'b-d', 'd-c', 'c-a']);
    const lab: LabDocument = { ...ring, experiment: { ...ring.experiment, onLinkDown: 'reroute' } };
    const network = await raise(service, lab);
    const at = (id: string) => network.place(id)!;
    const reaches = (from: string, to: string) => sendTo(at(from).namespace, at(to).address, 1);
    for (const id of ['b', 'c']) await listenAt(network, id);
    await service.setDown('ways', 'l-a-b', true);
    expect(await reaches('a', 'b')).toMatchObject({ name: 'b' });
    expect(service.linksDown('ways')).toEqual([]);
    // The second one isolates a: the others still reach each other, also where their shortest way was over a.
    await service.setDown('ways', 'l-c-a', true);
    expect(await reaches('b', 'c')).toMatchObject({ name: 'c' });
    expect(service.linksDown('ways')).toEqual(['A–B', 'C–A']);
    await service.setDown('ways', 'l-a-b', false);
    expect(await reaches('a', 'c')).toMatchObject({ name: 'c' });
    await service.setDown('ways', 'l-c-a', false);
    const route = await inNamespace(at('a').namespace, 'ip', 'route', 'get', at('b').address);
    expect(route).toContain('dev rl1');
  });
});

test('unconnected nodes are refused by name; drawings that cannot be emulated are refused with the reason', async () => {
  const able = () => Promise.resolve({ able: false as const, reason: 'rights' as const, detail: '' });
  const service = createNetworks({ dataFolder, events: createEventLog(), ability: able });
  const lab = drawn('no', ['a', 'b'], ['a-b']);
  expect(await service.raise(lab)).toBeUndefined();
  expect(await service.state(lab)).toMatchObject({ emulated: false, reason: 'rights' });
  expect(await service.state({ ...lab, links: [] })).toMatchObject({ reason: 'nothing_drawn' });
  if (noNamespaces === undefined) {
    const apart = drawn('apart', ['a', 'b', 'c'], ['a-b']);
    await expect(networks().raise(apart)).rejects.toMatchObject({
      code: 'network_apart',
      params: { from: 'A', to: 'C' },
    });
  }
});
