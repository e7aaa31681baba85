import { createServer, type Server } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Measurement } from '../../net/index.ts';
import type { ProvisionerOptions } from '../service/options.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';
import { createBench, labOf, type Bench, type BenchOptions } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';

let folder = '';
let bench: Bench | undefined;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-network-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  bench?.close();
  rmSync(folder, { recursive: true, force: true });
});
/** With data already on the node, and without libtorch: only the network is tested. */
const startQuick = ({ shell, ...options }: BenchOptions = {}): Bench =>
  (bench = createBench({
    trainer: 'stand-in',
    ...options,
    shell(nodeId, home) {
      for (const part of ['train', 'val']) mkdirSync(join(home, 'data', part, 'cat'), { recursive: true });
      return shell?.(nodeId, home) ?? {};
    },
  }));
/** Reachability is really tested, by the trainer's own probe. */
const startProbing = (options: BenchOptions): Bench =>
  startQuick({ trainer: 'stand-in that probes', ...options });
const data = { type: 'folder', path: '~/data' } as const;
const networkSummary = (document: LabDocument, index = 0): string =>
  bench!.provisioner.status(document)[index]!.steps.find(({ id }) => id === 'network')!.summary.en;

async function listenOn(port: number, host: string): Promise<void> {
  const listening = (server = createServer());
  await new Promise<void>((resolve, reject) => listening.once('error', reject).listen(port, host, resolve));
}

test.each(['127.0.0.1', '0.0.0.0'])(
  'a port in use at %s: the next free one is used and shown',
  async (host) => {
    const { provisioner } = startQuick();
    const port = await freePort();
    await listenOn(port, host);
    const document = labOf(['anna'], { port, data });
    const { master } = await provisioner.prepare(document);
    expect(master.port).toBeGreaterThan(port);
    expect(networkSummary(document)).toContain(`127.0.0.1:${master.port} (${port}`);
    expect(networkSummary(document)).toContain('in use)');
  },
);

test('two labs prepared at once on one machine get different ports, free again when listening ends', async () => {
  const { provisioner } = startQuick();
  const port = await freePort();
  const [one, two] = [
    labOf(['anna', 'berta'], { port, data }),
    { ...labOf(['carla', 'dora'], { port, data }), id: 'other' },
  ];
  const ready = await Promise.all([provisioner.prepare(one), provisioner.prepare(two)]);
  const ports = ready.map(({ master }) => master.port);
  expect(new Set(ports).size).toBe(2);
  for (const free of ports) await listenOn(free, '0.0.0.0').then(() => server?.close());
  expect(networkSummary(one, 1)).toMatch(/^127\.0\.0\.1 → 127\.0\.0\.1:\d+ · .* ms · [\d.]+ [MG]bit\/s$/);
});

test('no free port from the given one on is reported with the range and the node', async () => {
  // 65535 is the last port.
  const { provisioner } = startQuick();
  await listenOn(65_535, '127.0.0.1');
  await expect(provisioner.prepare(labOf(['anna'], { port: 65_535, data }))).rejects.toMatchObject({
    code: 'no_free_port',
    where: 'anna',
    params: { first: 65_535, last: 65_535, host: 'anna' },
  });
});

/** Simulates a separate machine: `ip` reports these addresses. */
const machineWith = (name: string, addresses: Record<string, string>, source = ''): string => {
  const lines = Object.entries(addresses).map(
    ([device, address]) => `echo "2: ${device} inet ${address}/24 scope global ${device}"`,
  );
  const bin = programsOnly(join(folder, name), {
    ip: `#!/bin/sh\ncase "$*" in *route*) echo "x dev eth0 src ${source} uid 0";; *) ${lines.join('; ')};; esac\n`,
  });
  return `${bin}:${process.env.PATH ?? ''}`;
};

test('several machines: finds the address that the others reach, and each node’s own', async () => {
  // On Linux 0.0.0.0 connects to this machine: the one address that works in every network.
  const paths: Record<string, string> = {
    n0: machineWith('a', { eth0: '203.0.113.7', eth1: '0.0.0.0' }),
    n1: machineWith('b', { eth0: '203.0.113.8' }, '127.0.0.2'),
  };
  const { provisioner } = startProbing({ shell: (nodeId) => ({ path: paths[nodeId] ?? '' }) });
  const document = labOf(['anna', 'berta'], { port: await freePort(), data });
  const ready = await provisioner.prepare(document);
  expect(ready.master.host).toBe('0.0.0.0');
  expect(ready.nodes.map(({ address }) => address)).toEqual(['0.0.0.0', '127.0.0.2']);
});

test('several machines: neighbours in the ring are measured, too; a failed measurement does not stop the run', async () => {
  // 127.0.0.2 and the like also belong to this machine.
  const paths: Record<string, string> = {
    n0: machineWith('a', { eth0: '0.0.0.0' }),
    n1: machineWith('b', { eth0: '203.0.113.8' }, '127.0.0.2'),
    n2: machineWith('c', { eth0: '203.0.113.9' }, '127.0.0.3'),
    n3: machineWith('d', { eth0: '203.0.113.10' }, '127.0.0.4'),
  };
  const port = await freePort();
  const reported: Measurement[] = [];
  const networks = {
    raise: () => Promise.resolve(undefined),
    changes: () => Promise.resolve(undefined),
    remembered: () => undefined,
    measured: (_: LabDocument, measurements: readonly Measurement[]) => void reported.push(...measurements),
  };
  const { provisioner } = startProbing({
    shell: (nodeId) => ({
      path: paths[nodeId] ?? '',
      before(script) {
        // Rank 0 tested it on a port chosen by the system; the lab's port is refused here.
        if (nodeId === 'n2' && script.includes(`:${port} --probes`))
          throw new RinglabError('channel_refused', { host: 'carla' });
      },
    }),
    provisioner: { networks },
  });
  const document = labOf(['anna', 'berta', 'carla', 'dora'], { port, data });
  await provisioner.prepare(document);
  expect(reported.map(({ from, to }) => `${from}-${to}`)).toEqual(['n1-n0', 'n2-n0', 'n3-n0', 'n2-n1']);
  expect(reported.every(({ mbps, rttMs }) => mbps > 1 && rttMs > 0)).toBe(true);
  expect(networkSummary(document, 2)).toMatch(/bit\/s · berta .*bit\/s$/);
});

describe('in an emulated network', () => {
  const pairs = ['n1-n0', 'n2-n0', 'n2-n1'];
  /** Values that no loopback has. */
  const before = { mbps: 1.25, rttMs: 777 };
  const allBut = (edited?: string): Measurement[] =>
    pairs
      .filter((pair) => pair !== edited)
      .map((pair) => ({ from: pair.slice(0, 2), to: pair.slice(3), ...before }));

  /**
   * Nodes with one loopback address each, as if in namespaces. Resolves with the stored measurements, in order; `+`
   * where measured now.
   */
  async function prepareWith(remembered: readonly Measurement[]): Promise<string[][]> {
    const kept: string[][] = [];
    const networks: NonNullable<ProvisionerOptions['networks']> = {
      raise: ({ id }) =>
        Promise.resolve({
          labId: id,
          place: (nodeId) => {
            const number = Number(nodeId.slice(1)) + 2;
            return { namespace: nodeId, address: `127.0.0.${number}`, enter: `env NAMESPACE=${nodeId}` };
          },
        }),
      changes: () => Promise.resolve(undefined),
      remembered: () => remembered,
      measured: (_, measurements) =>
        void kept.push(
          measurements.map(({ from, to, mbps }) => `${from}-${to}${mbps === before.mbps ? '' : '+'}`),
        ),
    };
    const { provisioner } = startQuick({ provisioner: { networks } });
    await provisioner.prepare(labOf(['anna', 'berta', 'carla'], { port: await freePort(), data }));
    return kept;
  }

  test('measured paths are not measured again', async () => {
    expect(await prepareWith(allBut())).toEqual([]);
  });

  test('after an edit of a link to rank 0, all paths over it are measured again and kept with the others', async () => {
    expect(await prepareWith(allBut('n1-n0'))).toEqual([['n1-n0+', 'n2-n0+', 'n2-n1']]);
  });

  test('after an edit of a link between other nodes, only that path is measured again and kept with the others', async () => {
    expect(await prepareWith(allBut('n2-n1'))).toEqual([['n1-n0', 'n2-n0', 'n2-n1+']]);
  });
});

test('an unreachable rank 0 is reported with both nodes and the address', async () => {
  const paths: Record<string, string> = {
    n0: machineWith('a', { eth0: '203.0.113.7' }),
    n1: machineWith('b', { eth0: '203.0.113.8' }),
  };
  const { provisioner } = startProbing({ shell: (nodeId) => ({ path: paths[nodeId] ?? '' }) });
  const port = await freePort();
  const document = labOf(['anna', 'berta'], { port, data });
  await expect(provisioner.prepare(document)).rejects.toMatchObject({
    code: 'rank_unreachable',
    where: 'berta',
    params: { from: 'berta', to: 'anna', address: `203.0.113.7:${port}` },
  });
  const status = provisioner.status(document);
  expect(status.map(({ state }) => state)).toEqual(['failed', 'failed']);
  expect(status[1]?.steps.at(-1)).toMatchObject({
    id: 'network',
    state: 'failed',
    error: { code: 'rank_unreachable' },
  });
});
