/** Tests the real trainer through a real tunnel over emulated links: the traffic is unreadable. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../shared/run/run.ts';
import { tunnelFolder } from '../../provision/index.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';

const missing = ['wg', 'python3', 'ip'].filter((name) => {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`]);
    return false;
  } catch {
    return true;
  }
});
const canRun =
  trainerIsBuilt && process.platform === 'linux' && process.getuid?.() === 0 && missing.length === 0;
const why = canRun ? 'root, WireGuard' : `skipped: needs the trainer, root, ${missing.join(', ')}`;

let bench: RealBench;
let capture: ChildProcess | undefined;
const kept = (): string[] => (existsSync(tunnelFolder) ? readdirSync(tunnelFolder) : []);
let before: readonly string[] = [];
beforeEach(() => {
  before = kept();
});
afterEach(async () => {
  capture?.kill('SIGKILL');
  await bench.close();
  // Keys of a lab that nobody switches off or removes.
  for (const name of kept()) if (!before.includes(name)) rmSync(join(tunnelFolder, name));
});

async function open(names: readonly string[], epochs: number): Promise<void> {
  bench = await createRealBench({
    architecture: 'resnet18',
    epochs,
    train: 42,
    batchSize: 21,
    prompter: { ask: () => Promise.resolve({ kind: 'accept' }) },
  });
  const { lab } = bench;
  lab.nodes = lab.nodes.filter(({ id }) => names.includes(id));
  lab.links = names.slice(1).map((to, index) => ({
    id: `${names[index] ?? ''}${to}`,
    ends: [names[index] ?? '', to],
    bandwidthMbps: 200,
    delayMs: 0,
    lossPercent: 0,
  }));
  lab.experiment = {
    ...lab.experiment,
    encrypt: true,
    architecture: 'squeezenet1_1',
    data: { type: 'shapes', train: 42, validation: 21, size: 32, seed: 1 },
  };
}
const namespaceOf = (run: RunRecord, rank: number): string =>
  /netns\/(\S+)/.exec(run.ranks[rank]?.enter ?? '')?.[1] ?? 'none';
const addressOf = (run: RunRecord, rank: number): string => {
  const argv = run.ranks[rank]?.argv ?? [];
  return argv[argv.indexOf('--address') + 1] ?? '';
};

/** A script that records every frame that crosses a device, in both directions (AF_PACKET). */
const sniffer = `
import socket, sys, struct
at = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
at.bind((sys.argv[1], 0))
out = open(sys.argv[2], 'wb')
print('ready', flush=True)
while True:
    frame = at.recv(65535)
    out.write(struct.pack('<I', len(frame)) + frame); out.flush()
`;

async function startCapture(namespace: string, device: string, file: string): Promise<void> {
  const args = [`--net=/run/netns/${namespace}`, 'python3', '-c', sniffer, device, file];
  capture = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (capture.stdout !== null) await once(capture.stdout, 'data');
}

interface Frames {
  readonly bytes: Buffer;
  readonly udp: number;
  readonly tcp: number;
}
function read(file: string): Frames {
  const all = readFileSync(file);
  let [udp, tcp, at] = [0, 0, 0];
  while (at + 4 <= all.length) {
    const length = all.readUInt32LE(at);
    const frame = all.subarray(at + 4, at + 4 + length);
    if (frame.readUInt16BE(12) === 0x0800) {
      if (frame[23] === 17) udp += 1;
      if (frame[23] === 6) tcp += 1;
    }
    at += 4 + length;
  }
  return { bytes: all, udp, tcp };
}

/** Words of c10d's store protocol, which are readable without a tunnel. */
const storeWord = /ringlab|rank|worker|init\//;

describe.skipIf(!canRun)(`training through WireGuard (${why})`, () => {
  it('two ranks: only WireGuard’s packets cross the link, while the store is readable there without it', async () => {
    await open(['a', 'b'], 2);
    const file = join(bench.dataFolder, 'frames');
    // The network exists since the first run: its link is sniffed.
    const { runId: first } = await bench.app.runs.start(bench.lab);
    const once0 = await bench.until(first, 'finished', 180);
    expect(addressOf(once0, 0)).toMatch(/^172\.(?:1[6-9]|2\d|3[01])\./);
    expect(once0.master?.host).toBe(addressOf(once0, 0));
    await startCapture(namespaceOf(once0, 0), 'rl1', file);
    const { runId } = await bench.app.runs.start(bench.lab);
    const run = await bench.until(runId, 'finished', 180);
    expect(run.epochsCompleted).toBe(2);
    capture?.kill('SIGKILL');
    const secret = read(file);
    expect(secret.udp).toBeGreaterThan(100);
    expect(secret.tcp).toBe(0);
    expect(secret.bytes.toString('latin1')).not.toMatch(storeWord);

    rmSync(file);
    bench.lab.experiment = { ...bench.lab.experiment, encrypt: false };
    await startCapture(namespaceOf(run, 0), 'rl1', file);
    const { runId: open0 } = await bench.app.runs.start(bench.lab);
    const plainRun = await bench.until(open0, 'finished', 180);
    capture?.kill('SIGKILL');
    expect(addressOf(plainRun, 0)).toBe('10.0.0.1');
    const readable = read(file);
    expect(readable.tcp).toBeGreaterThan(100);
    expect(readable.bytes.toString('latin1')).toMatch(storeWord);
    // Switched off, it left nothing behind.
    expect(kept().filter((name) => name.endsWith('.key') && !before.includes(name))).toEqual([]);
  }, 600_000);

  it('three ranks, two of them connected by the third; the app is killed and restarted; nothing is left', async () => {
    await open(['a', 'b', 'c'], 8);
    const { runId } = await bench.app.runs.start(bench.lab);
    const started = await bench.until(runId, (run) => run.step >= 1, 180);
    const addresses = [0, 1, 2].map((rank) => addressOf(started, rank));
    expect(new Set(addresses).size).toBe(3);
    const shown = execFileSync('ip', ['-n', namespaceOf(started, 0), '-o', '-4', 'addr', 'show']).toString();
    expect(shown).toContain(`inet ${addresses[0] ?? ''}/32`);
    await bench.restart();
    const run = await bench.until(runId, 'finished', 240);
    expect(run.epochsCompleted).toBe(8);
    const namespace = namespaceOf(run, 0);
    await bench.app.close();
    expect(execFileSync('ip', ['netns', 'list']).toString()).not.toContain(namespace);
    await bench.restart();
  }, 600_000);
});
