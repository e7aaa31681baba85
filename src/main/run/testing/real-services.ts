/** For tests: a run service on the real store, local nodes, provisioner and trainer, under a temporary data folder. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RinglabError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import type { RunRecord, RunState } from '../../../shared/run/run.ts';
import { createEventLog, type EventLog } from '../../base/events.ts';
import { createReach, type Reach } from '../../local/index.ts';
import { createLimits, createNetworks, type Networks } from '../../net/index.ts';
import { createNetworkLife } from '../../app/network-life.ts';
import { createProvisioner } from '../../provision/index.ts';
import { createCodeShelf } from '../../code/index.ts';
import type { SecretStore } from '../../base/platform.ts';
import { createSshPool, type Prompter } from '../../ssh/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { createRuns, createScriptSecrets, type Runs, type RunSettings } from '../index.ts';
import { killBelow } from './bench.ts';
import { createNodeClocks, type NodeClocks } from './storm-clocks.ts';

const native = fileURLToPath(new URL('../../../../native', import.meta.url));
export const trainerBinary = join(native, 'build', 'ringlab-train');
export const trainerIsBuilt = existsSync(trainerBinary);

interface RealApp {
  readonly store: Store;
  readonly runs: Runs;
  readonly events: EventLog;
  readonly problems: string[];
  readonly networks: Networks;
  /** As the app does at its start. */
  adopt(): Promise<void>;
  /** Breaks the SSH connection to a node. */
  cut(labId: string, nodeId: string): void;
  /** Breaks the SSH connections to a node and refuses new ones, as where it has no power. */
  setOff(labId: string, nodeId: string, off: boolean): void;
  close(): Promise<void>;
}

const answersNothing: Prompter = { ask: () => Promise.reject(new RinglabError('prompt_unanswered')) };

/** The services of `app.ts` that a run needs, wired as there; no prompt is answered by default. */
async function openRealApp(
  dataFolder: string,
  settings: Partial<RunSettings> = {},
  prompter = answersNothing,
  drawn?: () => LabDocument,
  clocks?: NodeClocks,
): Promise<RealApp> {
  const events = createEventLog();
  const problems: string[] = [];
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(JSON.stringify(event.data.error));
  });
  const { store } = await openStore(dataFolder);
  const secrets: SecretStore = {
    kind: 'memory',
    get: () => Promise.resolve(undefined),
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
  const pool = createSshPool({
    prompter,
    secrets,
    home: dataFolder,
    dataFolder,
    onState: (state) => all.onState(state),
  });
  const all = createReach({ pool, dataFolder });
  const off = new Set<string>();
  const reach: Reach = {
    ...all,
    async session(ofLab, nodeId, signal) {
      if (off.has(nodeId)) throw new RinglabError('host_refused', { host: nodeId, port: 22 });
      const session = await all.session(ofLab, nodeId, signal);
      return clocks === undefined ? session : clocks.around(nodeId, session);
    },
  };
  const paths = { nativeSource: native, trainerBinary, data: dataFolder, home: dataFolder };
  const networks = createNetworks({ dataFolder, events, trainerBinary });
  const provisioner = createProvisioner({ reach, networks, events, prompter, paths });
  const linksDown = (labId: string): string[] => networks.linksDown(labId);
  const runs = createRuns({
    ...{ store, reach, provisioner, events, settings, linksDown },
    labNow: ({ lab }) => Promise.resolve(drawn?.() ?? lab),
    scriptSecrets: createScriptSecrets(prompter, secrets),
    code: createCodeShelf(join(dataFolder, 'code'), dataFolder),
    pythonSource: fileURLToPath(new URL('../../../../python', import.meta.url)),
  });
  const limits = createLimits({ reach, events, dataFolder });
  const labNow = ({ lab }: RunRecord): Promise<LabDocument> => Promise.resolve(lab);
  const life = createNetworkLife({ networks, limits, runs, store, events, labNow });
  const end = async (): Promise<void> => {
    await life.close();
    await runs.close();
    await reach.close();
    await pool.close();
    await store.close();
  };
  let closing: Promise<void> | undefined;
  return {
    store,
    runs,
    events,
    problems,
    networks,
    async adopt() {
      await life.adopt();
      await runs.adopt();
    },
    cut: (labId, nodeId) => pool.drop(labId, nodeId),
    setOff(labId, nodeId, isOff) {
      if (isOff) off.add(nodeId);
      else off.delete(nodeId);
      pool.drop(labId, nodeId);
    },
    close: () => (closing ??= end()),
  };
}

export interface RealBench {
  readonly dataFolder: string;
  readonly lab: LabDocument;
  readonly clocks?: NodeClocks;
  app: RealApp;
  /** Ends the app without stopping the ranks, and opens another on the same data folder. */
  restart(whileClosed?: () => Promise<void>): Promise<void>;
  until(runId: string, what: RunState | ((run: RunRecord) => boolean), seconds?: number): Promise<RunRecord>;
  /** What was started on the node: with automatic restarts the rank's supervisor, else its trainer. */
  process(runId: string, rank: number): Promise<number>;
  /** The supervisor's trainer; undefined between two attempts. */
  trainer(runId: string, rank: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** The only child of a process; undefined without one. */
export async function childOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const child = Number(children.trim().split(' ', 1)[0]);
  return child > 1 ? child : undefined;
}

/** On a busy machine a rank takes long to write its checkpoint and end. */
const patient: Partial<RunSettings> = { stopGrace: 200_000 };

export async function createRealBench(
  options: {
    architecture?: string;
    epochs?: number;
    train?: number;
    batchSize?: number;
    validation?: number;
    nodes?: number;
    prompter?: Prompter;
    /** In place of three local nodes; `knownHosts` are trusted. */
    lab?: LabDocument;
    knownHosts?: string;
    /** The lab as it is drawn now; as a run's record has it by default. */
    drawn?: () => LabDocument;
    /** Each node has a clock of its own. */
    clocks?: boolean;
  } = {},
): Promise<RealBench> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'ringlab-real-'));
  const lab = emptyLab('lab-real', 'Local nodes');
  lab.nodes = ['a', 'b', 'c', 'd', 'e'].slice(0, options.nodes ?? 3).map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  }));
  lab.experiment = {
    ...lab.experiment,
    // Small: resnet18's checkpoints are thirty times as large.
    architecture: options.architecture ?? 'shufflenet_v2_x0_5',
    data: {
      type: 'shapes',
      train: options.train ?? 60,
      validation: options.validation ?? 30,
      size: 16,
      seed: 1,
    },
    epochs: options.epochs ?? 2,
    batchSize: options.batchSize ?? 21,
    port: 20_000 + Math.floor(Math.random() * 20_000),
  };
  if (options.knownHosts !== undefined) {
    await mkdir(join(dataFolder, '.ssh'));
    await writeFile(join(dataFolder, '.ssh', 'known_hosts'), `${options.knownHosts}\n`);
  }
  const clocks = options.clocks === true ? createNodeClocks(dataFolder) : undefined;
  const open = (): Promise<RealApp> =>
    openRealApp(dataFolder, patient, options.prompter, options.drawn, clocks);
  const bench: RealBench = {
    dataFolder,
    ...(clocks === undefined ? {} : { clocks }),
    lab: options.lab ?? lab,
    app: await open(),
    async restart(whileClosed) {
      await bench.app.close();
      await whileClosed?.();
      bench.app = await open();
      await bench.app.adopt();
    },
    async until(runId, what, seconds = 240) {
      const isIt = typeof what === 'string' ? (run: RunRecord) => run.state === what : what;
      const end = performance.now() + seconds * 1000;
      for (;;) {
        const run = await bench.app.runs.get(runId);
        if (isIt(run)) return run;
        const over = ['failed', 'interrupted', 'lost'].includes(run.state);
        if (over || performance.now() > end) {
          const ranks = JSON.stringify(run.ranks.map((rank) => [rank.state, rank.exit, rank.lastWords]));
          throw new Error(
            `the run is ${run.state}: ${JSON.stringify(run.error)} ${ranks} ${bench.app.problems.join('; ')}`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async process(runId, rank) {
      const { ranks } = await bench.app.runs.get(runId);
      const text = await readFile(join(ranks[rank]?.directory ?? '', 'pid'), 'utf8');
      return (JSON.parse(text) as { pid: number }).pid;
    },
    async trainer(runId, rank) {
      return await childOf(await bench.process(runId, rank));
    },
    async close() {
      await bench.app.close();
      await killBelow(dataFolder);
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return bench;
}
