/** For tests: a lab of local nodes under a temporary folder, with all dependencies of a Runs service. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { RunRecord, RunState } from '../../../shared/run/run.ts';
import { createEventLog, type EventLog } from '../../base/events.ts';
import type { Provisioner, ReadyNode } from '../../provision/index.ts';
import type { Store } from '../../store/index.ts';
import { createRuns, type Runs, type RunSettings } from '../index.ts';
import { smallCheckpoint } from './checkpoint-file.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import { createShellReach, type ShellReach } from './shell-session.ts';

export interface Bench {
  readonly folder: string;
  readonly lab: LabDocument;
  readonly store: MemoryStore;
  readonly reach: ShellReach;
  readonly events: EventLog;
  readonly runs: Runs;
  /** The folder from which the fake trainer reads its instructions. */
  readonly data: string;
  /** Every rank pauses at its step, so that the run does not end before the test acts, even on a busy machine. */
  hold(): Promise<void>;
  goOn(): Promise<void>;
  /**
   * Ends this service without stopping the ranks and creates a new one on the same store, as if the app was killed
   * and restarted.
   */
  restart(): Promise<Runs>;
  /** Waits for a state; fails with the actual state where the run ends otherwise. */
  until(runId: string, what: RunState | ((run: RunRecord) => boolean), seconds?: number): Promise<RunRecord>;
  rankFolder(runId: string, rank: number): string;
  problems(): string[];
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly nodes?: number;
  readonly epochs?: number;
  /** Steps per epoch of the fake trainer. */
  readonly steps?: number;
  readonly secondsAStep?: number;
  /** Seconds by which the nodes' clocks are ahead. */
  readonly clocksAhead?: readonly number[];
  /** Free bytes that the nodes' monitors report. */
  readonly diskFree?: number;
  readonly settings?: Partial<RunSettings>;
  readonly trainer?: string;
  /** GPUs of each machine, and those of them that ranks can compute on. */
  readonly gpus?: { readonly found: number; readonly usable: number };
  readonly prepare?: (signal: AbortSignal | undefined) => Promise<void>;
  readonly wrapStore?: (store: MemoryStore) => Store;
  /** As in the app: nothing starts before `adopt` is done. */
  readonly adoptsFirst?: boolean;
}

const standIn = fileURLToPath(new URL('./stand-in-trainer.sh', import.meta.url));

export async function createBench(options: BenchOptions = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-run-'));
  const data = join(folder, 'data');
  const trainer = options.trainer ?? join(folder, 'ringlab-train');
  const bootIdFile = join(folder, 'boot-id');
  await mkdir(data);
  await writeFile(join(data, 'small.pth.tar'), smallCheckpoint());
  await writeFile(bootIdFile, 'boot-1\n');
  if (options.trainer === undefined) await cp(standIn, trainer);
  execFileSync('chmod', ['+x', trainer]);
  const nodes = Array.from({ length: options.nodes ?? 3 }, (_, index) => nodeOf(index));
  const lab: LabDocument = { ...emptyLab('lab-1', 'Three nodes'), nodes };
  // The stand-in for the trainer does not go on without others, which is the default.
  lab.experiment = { ...lab.experiment, epochs: options.epochs ?? 2, batchSize: 32, onLostRank: 'stop' };
  const home = (id: string): string => join(folder, id);
  const reach = createShellReach(
    new Map(nodes.map((node) => [node.id, { home: home(node.id), path: join(folder, 'bin') }])),
  );
  const store = createMemoryStore(folder);
  const events = createEventLog();
  const problems: string[] = [];
  events.subscribe((event) => {
    if (event.name === 'app.problem')
      problems.push(
        `${event.data.error.code} ${JSON.stringify(event.data.error.params)} ${event.data.error.detail ?? ''}`,
      );
  });
  const environment = {
    STEPS: String(options.steps ?? 5),
    SECONDS_A_STEP: String(options.secondsAStep ?? 0.05),
    ...(options.diskFree === undefined ? {} : { DISK_FREE: String(options.diskFree) }),
  };
  const ready = nodes.map((node, index): ReadyNode => ({
    node,
    facts: {
      ...factsOf(home(node.id)),
      clockSkewSeconds: options.clocksAhead?.[index] ?? 0,
      gpus: Array.from({ length: options.gpus?.found ?? 0 }, (_, gpu) => ({ index: gpu, name: 'GPU' })),
    },
    trainer,
    data,
    address: '127.0.0.1',
    backend: 'gloo',
    processes: 1,
    gpus: options.gpus?.usable ?? 0,
    environment,
  }));
  const provisioner: Provisioner = {
    async prepare({ nodes: drawn }, { signal, nodeIds = drawn.map(({ id }) => id) } = {}) {
      await options.prepare?.(signal);
      const wanted = drawn.filter(({ id }) => nodeIds.includes(id));
      const prepared = wanted.flatMap(({ id }) => ready.filter(({ node }) => node.id === id));
      return { nodes: prepared, master: { host: '127.0.0.1', port: 29_500 } };
    },
    probe: (_lab, nodeId) => Promise.resolve(factsOf(home(nodeId))),
    lock: () => Promise.resolve([]),
    bundle: () => Promise.reject(new Error('not used here')),
    takeBundle: () => Promise.reject(new Error('not used here')),
    plan: () => Promise.resolve([]),
    remove: () => Promise.reject(new Error('not used')),
    reboot: () => Promise.resolve(),
    status: () => [],
    forget: () => undefined,
  };
  const settings: Partial<RunSettings> = {
    lookEvery: 300,
    vanishGrace: 600,
    reconnect: { firstMs: 100, maxMs: 400 },
    diskFullRetry: 100,
    bootIdFile,
    ...options.settings,
  };
  const seenByService = options.wrapStore?.(store) ?? store;
  const make = (): Runs => {
    const { adoptsFirst = false } = options;
    return createRuns({ store: seenByService, reach, provisioner, events, settings, adoptsFirst });
  };
  let runs = make();

  const bench: Bench = {
    folder,
    lab,
    store,
    reach,
    events,
    data,
    hold: () => writeFile(join(data, 'held'), ''),
    goOn: () => rm(join(data, 'held'), { force: true }),
    get runs() {
      return runs;
    },
    async restart() {
      await runs.close();
      runs = make();
      return runs;
    },
    async until(runId, what, seconds = 60) {
      const isIt = typeof what === 'string' ? (run: RunRecord) => run.state === what : what;
      const end = performance.now() + seconds * 1000;
      for (;;) {
        const run = await runs.get(runId);
        if (isIt(run)) return run;
        if (performance.now() > end) {
          throw new Error(
            `the run is ${run.state} after ${seconds} s: ${JSON.stringify(run.error)} ${JSON.stringify(run.ranks.map((rank) => [rank.state, rank.exit]))} ${problems.join('; ')}`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    rankFolder: (runId, rank) => join(home(`node-${rank}`), '.ringlab/runs', runId, `rank-${rank}`),
    problems: () => problems,
    async close() {
      await runs.close();
      await killBelow(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return bench;
}

const nodeOf = (index: number): LabNode => ({
  id: `node-${index}`,
  name: `Node ${index}`,
  kind: 'cpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('cpu'),
  access: { type: 'local' },
});

export const factsOf = (home: string): NodeFacts => ({
  at: 0,
  hostname: 'test',
  user: 'test',
  home,
  shell: '/bin/sh',
  system: { id: 'debian', version: '12', pretty: 'Debian 12' },
  kernel: '6.1',
  arch: 'x86_64',
  cpus: 2,
  cpuModel: '',
  memoryBytes: 1,
  memoryFreeBytes: 1,
  diskBytes: 1,
  diskFreeBytes: 1e12,
  gpus: [],
  ninja: true,
  root: false,
  sudo: 'none',
  addresses: [],
  bootId: 'boot-1',
  clockSkewSeconds: 0,
});

/** Ends every process whose working directory is below the test's own folder. */
export async function killBelow(folder: string): Promise<number> {
  let killed = 0;
  for (let again = 0; again < 3; again += 1) {
    let found = 0;
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
      const text = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
      if (!`${cwd}/`.startsWith(`${folder}/`) && !text.includes(folder)) continue;
      try {
        process.kill(Number(name), 'SIGKILL');
        found += 1;
      } catch {
        // It has already ended.
      }
    }
    killed += found;
    if (found === 0) break;
  }
  return killed;
}
