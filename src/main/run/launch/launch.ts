/** Starts a recorded run: prepares the nodes, builds the commands, starts every process detached. */
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { labError } from '../../../shared/lab/issue-texts.ts';
import { hasSharedFolder } from '../../../shared/lab/reached.ts';
import type { RankRecord, StartedProcess } from '../../../shared/run/run.ts';
import { pauseUntil } from '../../../shared/run/took.ts';
import { secondsNow } from '../../base/clock.ts';
import type { ReadyLab } from '../../provision/index.ts';
import { chosenInterval } from './checkpoint-interval.ts';
import { checkDiskOf, checkOwnDisk, withFreeSpace } from './disk-needs.ts';
import {
  inRankOrder,
  monitorCommand,
  planRanks,
  rankCommand,
  rankFolderOnNode,
  withLostRankPolicy,
} from './command.ts';
import { lineNumbers } from './line-numbers.ts';
import { clocksOf, withLineClock } from './node-clocks.ts';
import { createScriptLaunch } from './script-launch.ts';
import { collectCommand, scriptPlaces } from './script-command.ts';
import type { LaunchOrder, Launcher, NodeOrders, StartListener } from '../record/launcher.ts';
import type { RankPlace } from '../record/neighbours.ts';
import { collectOrder, monitorOrder, rankOrder, ranksByNode, withRank } from './orders.ts';
import { newRunSecret, secretFileOf } from './run-secret.ts';
import { assignments, variablesFileOf } from './script-secrets.ts';
import { withSharedSpace } from './shared-space.ts';
import { newest, startPoint } from './start-point.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

export interface LaunchOptions {
  readonly services: RunServices;
  readonly launcher: Launcher;
  readonly keeper: RecordKeeper;
  /** Aborted where the run is stopped or the app closes: preparation ends, but ranks that are being started do start. */
  readonly signal: AbortSignal;
}

export interface Launch {
  /** Prepares the nodes. Rejects with the first node's error, or `cancelled`. */
  prepare(): Promise<void>;
  /**
   * Starts every rank; resolves when all run. Rejects with the first error after every node has been tried. `resume`:
   * from the run's newest checkpoint. Rejects with `checkpoint_gone` where the checkpoint to start from is missing: that of
   * another run, or the run's own.
   */
  start(resume: boolean): Promise<void>;
  /** Kills the started ranks. Never rejects. */
  undo(): Promise<void>;
}

export function createLaunch({ services, launcher, keeper, signal }: LaunchOptions): Launch {
  const { provisioner, reach, clock, events, settings, store } = services;
  let { lab } = keeper.current;
  const started = new Map<number, StartedProcess>();
  let ready: ReadyLab | undefined;
  /** Seconds, of this start and of those of a scheduler after it; undefined where the lab alone says it. */
  let checkpointEvery: number | undefined;
  /** The script's secret variables: only in memory, from the question to the last start. */
  let variables: Readonly<Record<string, string>> | undefined;
  const scripts = createScriptLaunch({ services, keeper, signal });

  const checkRoom = async (nodes: ReadyLab['nodes']): Promise<void> => {
    await checkOwnDisk(store.runFolder(keeper.current.id), nodes, lab, settings.fetchBytes);
    const sessionOf = (node: ReadyLab['nodes'][number]) => () => reach.session(lab, node.node.id, signal);
    const [first] = nodes;
    const now =
      hasSharedFolder(lab) && first !== undefined
        ? withSharedSpace(nodes, sessionOf(first), signal)
        : Promise.all(nodes.map((node) => withFreeSpace(node, sessionOf(node), signal)));
    checkDiskOf(await now, lab);
  };
  /** A first attempt that ended before its first checkpoint starts from the beginning, in the same folders. */
  const planned = async (lab_: ReadyLab, resume: boolean): Promise<RankRecord[]> => {
    const { id } = keeper.current;
    const { script } = lab.experiment;
    const places = script === undefined ? planRanks(lab_) : scriptPlaces(script, lab_);
    const records = places.map(({ rank, localRank, ready }): RankRecord => ({
      rank,
      nodeId: ready.node.id,
      nodeName: ready.node.name,
      localRank,
      state: 'pending',
      argv: [],
      env: {},
      ...(ready.enter === undefined ? {} : { enter: ready.enter }),
      address: ready.address,
      directory: rankFolderOnNode(ready.facts.home, id, rank),
    }));
    const [rank0, ...others] = records;
    if (rank0 === undefined) throw labError({ code: 'only_switches', params: {} }, lab.name);
    if (script !== undefined) return scripts.planned(script, lab_, places, records);
    const homes = places.map(({ ready }) => ready.facts.home);
    const options = { reach, store, run: keeper.current, lab, signal };
    // What a cluster gave may have been released after the attempt before.
    const released = launcher.release !== undefined;
    const from = await startPoint(options, { ranks: [rank0, ...others], homes, released }, resume);
    const { onLostRank } = lab.experiment;
    const chosen = (): Promise<number> =>
      chosenInterval(store, keeper.current, lab_.nodes.length, secondsNow(clock));
    checkpointEvery = onLostRank === 'stop' ? undefined : await chosen();
    return records.map((record) => ({
      ...record,
      ...rankCommand(lab, lab_, record.rank, records.length, {
        resume: from?.(record.rank),
        secretFile: secretFileOf(keeper.current.attempt),
        checkpointEvery,
        // A scheduler starts its jobs again itself.
        supervised: onLostRank === 'restart' && !hasSharedFolder(lab),
      }),
    }));
  };
  /** Undefined on this computer without a GPU to compute on, which local nodes share by design. */
  const placeOf = ({ nodeId, localRank, argv }: RankRecord): RankPlace | undefined => {
    const node = ready?.nodes.find((candidate) => candidate.node.id === nodeId);
    const gpus = node?.gpus ?? node?.facts.gpus.length ?? 0;
    if (node === undefined || (gpus === 0 && node.node.access.type === 'local')) return undefined;
    const { master } = keeper.current;
    const distUrl =
      keeper.current.lab.experiment.script === undefined
        ? (argv[argv.indexOf('--dist-url') + 1] ?? '')
        : `tcp://${master?.host ?? ''}:${master?.port ?? 0}`;
    return { runId: keeper.current.id, distUrl, localRank, gpus };
  };
  /** Adds the name of a run that is in this data folder. */
  const named = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof RinglabError) || error.code !== 'gpu_in_use') return error;
    const run = await services.store.getRun(String(error.params.run)).catch(() => undefined);
    if (run === undefined) return error;
    const params = { ...error.params, run: `${run.name} (${run.id})` };
    return new RinglabError('gpu_in_use', params, { where: error.where, cause: error });
  };
  /** A script finds its own checkpoint again. */
  const againOf = (rank: number): string[] | undefined => {
    if (ready === undefined || lab.experiment.script !== undefined) return undefined;
    const { attempt, ranks } = keeper.current;
    return rankCommand(lab, ready, rank, ranks.length, {
      resume: { path: newest, fresh: false },
      secretFile: secretFileOf(attempt),
      checkpointEvery,
    }).argv;
  };
  const rankToStart = (record: RankRecord, secret: string): LaunchOrder => {
    const { attempt, ranks } = keeper.current;
    return {
      ...rankOrder(keeper.current, record),
      place: placeOf(record),
      againArgv: againOf(record.rank),
      ...(ranks.length === 1 || lab.experiment.script !== undefined
        ? {}
        : { secret: { file: secretFileOf(attempt), text: secret } }),
      ...(variables === undefined
        ? {}
        : { variables: { file: variablesFileOf(attempt), text: assignments(variables) } }),
    };
  };
  const besideOf = (records: readonly RankRecord[]): LaunchOrder[] => {
    const [first] = records;
    const node = ready?.nodes.find((candidate) => candidate.node.id === first?.nodeId);
    if (first === undefined || node === undefined) return [];
    const command = monitorCommand(
      node,
      records.map(({ rank }) => rank),
    );
    const monitor = monitorOrder(keeper.current, first, command);
    const { script } = lab.experiment;
    if (script === undefined) return [monitor];
    const { id: runId, attempt } = keeper.current;
    const collect = collectCommand(script, node, records, { runId, attempt });
    return [monitor, collectOrder(keeper.current, first, collect)];
  };
  return {
    async prepare() {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = (): void => reject(new RinglabError('cancelled'));
      signal.addEventListener('abort', onAbort);
      try {
        // Asked first, while the user is there.
        variables = await services.scriptSecrets?.values(lab, signal);
        // A step that reacts slowly to the abort must not make the user wait.
        const { code } = keeper.current;
        const prepared = await Promise.race([provisioner.prepare(lab, { signal, code }), aborted]);
        ready = inRankOrder(prepared, keeper.current.nodeOrder);
        await Promise.race([checkRoom(ready.nodes), aborted]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
      signal.throwIfAborted();
    },
    async start(resume) {
      if (ready === undefined) throw new RangeError('prepare comes before start');
      if (lab.experiment.script !== undefined) await scripts.bring(ready);
      lab = withLostRankPolicy({ ...keeper.current, lab }, ready);
      const ranks = await planned(ready, resume);
      const { master, nodes } = ready;
      await keeper.change((run) => {
        if (run.state !== 'preparing') throw new RinglabError('cancelled');
        const now = secondsNow(clock);
        return {
          ...run,
          state: 'starting',
          ranks,
          onLostRank: lab.experiment.onLostRank,
          master,
          startedAt: run.startedAt ?? now,
          pause: pauseUntil(run, now),
          clocks: clocksOf(run, nodes, now),
        };
      });
      const secret = newRunSecret();
      const numbered = await lineNumbers(store, keeper.current);
      const dated = withLineClock(lab, nodes);
      const numbers = new Map<LaunchOrder, number>();
      const orders = [...ranksByNode(keeper.current).values()].map((records): NodeOrders => {
        const toStart = records.map((record) => {
          const order = dated(numbered(rankToStart(record, secret)));
          numbers.set(order, record.rank);
          return order;
        });
        return { ranks: toStart, beside: besideOf(records).map(numbered).map(dated) };
      });
      const listener: StartListener = {
        async started(order, process, job) {
          const number = numbers.get(order);
          if (number === undefined) return;
          started.set(number, process);
          const state = job?.waits === true ? 'starting' : 'running';
          await keeper.change((run) => ({
            ...withRank(run, number, (rank) => ({ ...rank, state, process })),
            job,
          }));
        },
        without({ nodeId }, error) {
          const where = nodes.find(({ node }) => node.id === nodeId)?.node.name;
          events.emit('app.problem', {
            error: { ...toWireError(error), ...(where === undefined ? {} : { where }) },
          });
        },
      };
      await launcher.startAll(orders, listener).catch(async (error: unknown) => {
        throw await named(error);
      });
    },
    async undo() {
      const { ranks } = keeper.current;
      await Promise.allSettled(
        [...started].map(async ([rank, process]) => {
          const record = ranks[rank];
          if (record !== undefined) await launcher.signal(rankOrder(keeper.current, record), process, 'KILL');
        }),
      );
    },
  };
}
