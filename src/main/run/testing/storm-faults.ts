/** For the storm test: faults of a run on local nodes. Needs Linux and root. */
import { execFileSync } from 'node:child_process';
import { open, readFile, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { RunRecord } from '../../../shared/run/run.ts';
import { childOf, type RealBench } from './real-services.ts';
import { diskOf, type StormDisks } from './storm-disks.ts';
import { below, signal } from './storm-processes.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const folderOf = (run: RunRecord, rank: number): string => run.ranks[rank]?.directory ?? '/nowhere';
const runFolderOf = (run: RunRecord, rank: number): string => dirname(folderOf(run, rank));

/** What the app started: a rank's supervisor where the run restarts by itself, else its trainer. */
const startedFor = async (run: RunRecord, rank: number): Promise<number | undefined> => {
  const text = await readFile(join(folderOf(run, rank), 'pid'), 'utf8').catch(() => '');
  const { pid } = JSON.parse(text === '' ? '{}' : text) as { pid?: number };
  return pid !== undefined && pid > 1 ? pid : undefined;
};
const trainerOf = async (run: RunRecord, rank: number): Promise<number | undefined> => {
  const started = await startedFor(run, rank);
  if (started === undefined) return undefined;
  const command = await readFile(`/proc/${started}/cmdline`, 'utf8').catch(() => '');
  return command.includes('\0supervise\0') ? await childOf(started) : started;
};
const toTrainer = async (run: RunRecord, rank: number, name: NodeJS.Signals): Promise<void> => {
  const pid = await trainerOf(run, rank);
  if (pid !== undefined) signal(pid, name);
};

/** Seconds. */
const day = 86_400;
/** Metrics lines have room where a checkpoint has none. */
const roomForLines = 1 << 20;

async function damage(path: string, at: number): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size === 0) return;
  const file = await open(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    const place = Math.min(size - 1, Math.floor(at * size));
    await file.read(byte, 0, 1, place);
    await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, place);
  } finally {
    await file.close();
  }
}

/** A fault that a rank, or its node, was hit by. */
export interface Happened {
  readonly name: string;
  readonly rank: number;
}
/** After them lines that were not on the disk are gone: of steps that the others have saved meanwhile, too. */
const losesLines = new Set(['read-only disk', 'power cut']);
export const linesLost = (happened: readonly Happened[], rank: number): boolean =>
  happened.some((one) => one.rank === rank && losesLines.has(one.name));

/** Kernels of oneDNN that get no memory give way to others, whose sums differ in their last bits. */
export const changesSums = new Set(['no memory']);

/** What happens to a script's checkpoint is the script's own matter, as are its supervisor and what it waits for. */
export const notOfScripts = new Set([
  'kill a supervisor',
  'damaged checkpoint',
  'stray file in place of a checkpoint',
  'freeze for good',
]);

/** Does its fault, and undoes what would not end by itself. */
type StormFault = (run: RunRecord, rank: number, size: number) => Promise<void>;

/** By name. `size`: 0 to 1, how long or where. `happened`: until now. */
export const stormFaults = (
  bench: RealBench,
  disks: StormDisks,
  happened: readonly Happened[],
): Readonly<Record<string, StormFault>> => ({
  kill: (run, rank) => toTrainer(run, rank, 'SIGKILL'),
  crash: (run, rank) => toTrainer(run, rank, 'SIGSEGV'),
  async 'two killed'(run, rank, size) {
    await toTrainer(run, rank, 'SIGKILL');
    // Mostly while the others have not met without the first one yet.
    await pause(1000 * size ** 2);
    await toTrainer(run, (rank + 1) % run.ranks.length, 'SIGKILL');
  },
  async 'kill a supervisor'(run, rank) {
    const pid = await startedFor(run, rank);
    if (pid !== undefined) signal(pid, 'SIGKILL');
  },
  async 'kill every process of a node'(run, rank) {
    for (const pid of await below(runFolderOf(run, rank))) signal(pid, 'SIGKILL');
  },
  async freeze(run, rank, size) {
    const pid = await trainerOf(run, rank);
    if (pid === undefined) return;
    signal(pid, 'SIGSTOP');
    await pause(500 + 5000 * size);
    signal(pid, 'SIGCONT');
  },
  'freeze for good': (run, rank) => toTrainer(run, rank, 'SIGSTOP'),
  async 'cable out'(_run, rank, size) {
    const link = bench.lab.links[rank % bench.lab.links.length]?.id ?? '';
    await bench.app.networks.setDown(bench.lab.id, link, true);
    await pause(500 + 6000 * size);
    await bench.app.networks.setDown(bench.lab.id, link, false);
  },
  async 'SSH connection broken'(run, rank) {
    bench.app.cut(run.labId, run.ranks[rank]?.nodeId ?? '');
    await toTrainer(run, (rank + 1) % run.ranks.length, 'SIGKILL');
  },
  async 'disk full'(run, rank, size) {
    const folder = runFolderOf(run, rank);
    const filler = join(folder, 'filler');
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize - roomForLines;
    if (free > 0) execFileSync('fallocate', ['-l', String(Math.floor(free)), filler], { stdio: 'ignore' });
    await pause(2000 + 6000 * size);
    await rm(filler, { force: true });
  },
  async 'read-only disk'(run, rank, size) {
    const disk = diskOf(run, rank);
    await disks.turnReadOnly(disk);
    await pause(2000 + 6000 * size);
    await disks.repair(disk);
  },
  async 'power cut'(run, rank, size) {
    const disk = diskOf(run, rank);
    const nodeId = run.ranks[rank]?.nodeId ?? '';
    bench.app.setOff(run.labId, nodeId, true);
    disks.cutPower(disk);
    for (const pid of await below(disk)) signal(pid, 'SIGKILL');
    await pause(1000 + 6000 * size);
    await disks.repair(disk);
    bench.app.setOff(run.labId, nodeId, false);
  },
  async 'slow link'(_run, rank, size) {
    const slow = structuredClone(bench.lab);
    for (const link of slow.links.slice(rank % slow.links.length).slice(0, 1)) link.bandwidthMbps = 2;
    await bench.app.networks.reshape(slow);
    await pause(2000 + 6000 * size);
    await bench.app.networks.reshape(bench.lab);
  },
  async 'damaged checkpoint'(run, rank, size) {
    const name = rank === 0 ? 'checkpoint.pth.tar' : 'rank-state.pth';
    await toTrainer(run, rank, 'SIGSTOP');
    await damage(join(folderOf(run, rank), name), size);
    await toTrainer(run, rank, 'SIGKILL');
  },
  async 'stray file in place of a checkpoint'(run) {
    await toTrainer(run, 0, 'SIGSTOP');
    await writeFile(join(folderOf(run, 0), 'checkpoint.pth.tar'), 'no checkpoint');
    await toTrainer(run, 0, 'SIGKILL');
  },
  async 'clock jump'(run, rank, size) {
    await bench.clocks?.set(run.ranks[rank]?.nodeId ?? '', Math.floor(3 * size - 1) * day);
  },
  async 'lines cut in the store'(run, rank, size) {
    // What the node has lost, too, does not come again.
    if (linesLost(happened, rank)) return;
    await bench.app.close();
    const path = join(bench.app.store.runFolder(run.id), `rank-${rank}.jsonl`);
    const before = await readFile(path);
    await truncate(path, Math.floor(size * before.length));
    await bench.restart();
    await expect
      .poll(async () => (await stat(path)).size, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(before.length);
    expect(before.equals((await readFile(path)).subarray(0, before.length)), path).toBe(true);
  },
  async 'no memory'(run, rank) {
    const pid = await trainerOf(run, rank);
    // Whatever it asks the kernel for from now on is refused.
    if (pid !== undefined) execFileSync('prlimit', ['--pid', String(pid), '--as=1'], { stdio: 'ignore' });
  },
  async 'app closed and opened'(run, rank, size) {
    await bench.app.close();
    await toTrainer(run, rank, 'SIGKILL');
    await pause(3000 * size);
    await bench.restart();
  },
});
