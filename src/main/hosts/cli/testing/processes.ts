/** For tests: the command line as separate processes, with a data folder of the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { formatLab } from '../../../../shared/lab/read-lab.ts';
import { defaultPlacement, emptyLab, type Experiment } from '../../../../shared/lab/lab.ts';
import { killBelow } from '../../../run/testing/bench.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface Command {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

export interface CommandBench {
  readonly folder: string;
  readonly data: string;
  ringlab(...args: string[]): Command;
  /** A lab of local nodes that draws shapes, as a file; returns its path. */
  labFile(id: string, nodes: readonly string[], change: Partial<Experiment>): Promise<string>;
  /** Runs with live ranks, one entry for each rank. */
  liveRanks(): Promise<string[]>;
  /** Process ids of live ranks on a local node. */
  ranksOf(node: string): Promise<number[]>;
  /** Waits until that many ranks run. */
  trains(ranks: number): Promise<void>;
  close(): Promise<void>;
}

/** A busy machine may give a trainer only a few percent of a core. */
export const patience = { timeout: 600_000, interval: 100 };

export const lastLine = ({ stdout }: Command): Record<string, unknown> =>
  JSON.parse(stdout().trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;

export const untilSaid = (command: Command, words: string | RegExp): Promise<void> =>
  expect.poll(command.stderr, patience).toMatch(words);

/** @param dataName of the data folder, below the test's own folder */
export async function createCommandBench(dataName = 'data'): Promise<CommandBench> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-command-'));
  const data = join(folder, dataName);
  const commands: Command[] = [];
  const ranks = async (): Promise<{ pid: number; node: string; run: string }[]> => {
    const found: { pid: number; node: string; run: string }[] = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const [, node = '', run] = /\/([^/]+)\/home\/\.ringlab\/runs\/([^/]+)\/rank-\d+$/.exec(cwd) ?? [];
      if (cwd.startsWith(folder) && run !== undefined && words.includes('--dist-url') && words[0] !== 'env')
        found.push({ pid: Number(pid), node, run });
    }
    return found;
  };
  const liveRanks = async (): Promise<string[]> => (await ranks()).map(({ run }) => run);
  return {
    folder,
    data,
    liveRanks,
    ranksOf: async (node) => (await ranks()).filter((rank) => rank.node === node).map(({ pid }) => pid),
    ringlab(...args) {
      const child = spawn(
        process.execPath,
        // Before the arguments: what follows `--` is a script's.
        ['--disable-warning=ExperimentalWarning', program, '--data', data, ...args],
        { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, RINGLAB_NETWORK: 'off' } },
      );
      const output = { stdout: '', stderr: '' };
      child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
      child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
      const command: Command = {
        child,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        ended: new Promise((resolve) => child.once('close', resolve)),
      };
      commands.push(command);
      return command;
    },
    async labFile(id, nodes, change) {
      const lab = emptyLab(id, `Lab ${id}`);
      lab.nodes = nodes.map((node) => ({
        id: node,
        name: `Node ${node}`,
        kind: 'cpu',
        position: { x: 0, y: 0 },
        placement: defaultPlacement('cpu'),
        access: { type: 'local' },
      }));
      const data = { type: 'shapes', train: 40, validation: 10, size: 16, seed: 1 } as const;
      const port = 20_000 + Math.floor(Math.random() * 20_000);
      lab.experiment = { ...lab.experiment, data, batchSize: 20, port, ...change };
      const path = join(folder, `${id}.lab.json`);
      await writeFile(path, formatLab(lab));
      return path;
    },
    trains: (ranks) => expect.poll(async () => (await liveRanks()).length, patience).toBe(ranks),
    async close() {
      for (const { child } of commands.splice(0)) child.kill('SIGKILL');
      await killBelow(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
