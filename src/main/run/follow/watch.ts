/** Supervises started ranks: stores their output, detects how each ends, stops the others, and determines the outcome. */
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { leftOut, lostRankOf } from '../../../shared/run/membership.ts';
import type { RankRecord, RunRecord, StartedProcess } from '../../../shared/run/run.ts';
import { fewestProcesses } from '../../../shared/lab/script.ts';
import { secondsNow } from '../../base/clock.ts';
import type { Launcher, Sight } from '../record/launcher.ts';
import { createAskedToEnd } from './asked-to-end.ts';
import { createLinkBlame } from './blame-link.ts';
import { createCollection } from './collection.ts';
import { createDiskWatch } from './disk-watch.ts';
import { followedBySession, nodesOfSession } from './followed.ts';
import { createLineTracker, saidDone } from './line-tracker.ts';
import { followNode, type FollowerListener, type NodeFollower } from './node-follower.ts';
import type { FollowedProcess } from './node-reader.ts';
import { createMonitors } from './monitors.ts';
import { endedAt } from '../launch/node-clocks.ts';
import { rankOrder, ranksByNode, withJob, withProcess } from '../launch/orders.ts';
import type { RecordKeeper } from '../record/record.ts';
import { untilRecorded } from '../record/save-run.ts';
import type { RunServices } from '../record/services.ts';
import { withReach } from './reach-states.ts';
import { createSignaller } from './signaller.ts';
import { createTrainsUnseen } from './trains-unseen.ts';
import {
  deciding,
  failureOf,
  failures,
  ownCodeOf,
  roleOf,
  verdict,
  withEnd,
  withEnds,
  type RankEnd,
} from './verdict.ts';

export interface WatchOptions {
  readonly services: RunServices;
  readonly launcher: Launcher;
  readonly keeper: RecordKeeper;
  /** Aborted where the app closes: the ranks keep running. */
  readonly signal: AbortSignal;
  /** `own`: the code of the trainer's own error line. */
  finish(state: RunRecord['state'], error: WireError | undefined, own: string | undefined): Promise<void>;
}

export interface Watch {
  /**
   * @param adopted the ranks were started by a previous process of the app
   * @param stopWanted the run is already being stopped
   */
  begin(options: { adopted: boolean; stopWanted: boolean }): Promise<void>;
  /**
   * SIGTERM, and SIGKILL after a grace period, or at once where `again`; ranks on unreachable nodes are signalled when they are back, or given up if
   * `again`.
   */
  stop(again: boolean): void;
  /** SIGKILL to the ranks of a node: the others go on without them. */
  takeOut(nodeId: string): void;
  /**
   * Resolves when each rank was seen alive or its node proved unreachable or, where one has ended, when the run has
   * ended.
   */
  readonly sighted: Promise<void>;
  close(): Promise<void>;
}

export function createWatch({ services, launcher, keeper, signal, finish }: WatchOptions): Watch {
  const { clock, settings, events } = services;
  const followers: NodeFollower[] = [];
  const ends = new Map<number, RankEnd>();
  const vanishedSince = new Map<number, number>();
  const unreachable = new Map<string, number>();
  const monitors = createMonitors({ launcher, keeper, clock, signal, unreachable });
  const rankCount = keeper.current.ranks.length;
  const { script } = keeper.current.lab.experiment;
  const lines = createLineTracker(services, keeper);
  /** Before all have begun none goes on: the others would wait for a lost one until the rendezvous times out. */
  const fewest = (): number =>
    lostRankOf(keeper.current) === 'continue' && lines.begun() ? 1 : fewestProcesses(script, rankCount);
  const collection = createCollection(services, signal);
  const signaller = createSignaller({ launcher, clock, settings, signal, rank: (rank) => unended(rank) });
  const askedToEnd = createAskedToEnd(services, keeper, signaller);
  const trainsUnseen = createTrainsUnseen(services, keeper);
  let stopAsked = false;
  let concluding: Promise<void> | undefined;
  let patience = false;
  const { promise: sighted, resolve } = Promise.withResolvers<undefined>();
  const allSighted = (): void => resolve(undefined);
  const seenAlive = new Set<number>();
  const triedNodes = new Set<string>();

  const servedBy = (nodeId: string): string[] => nodesOfSession(keeper.current, nodeId);
  const ranksOn = (nodeId: string): RankRecord[] =>
    keeper.current.ranks.filter((one) => one.nodeId === nodeId);
  const record = (rank: number): RankRecord | undefined => keeper.current.ranks[rank];
  /** How to signal a rank; undefined where it has ended or is unreachable. */
  function unended(
    rank: number,
  ): { order: ReturnType<typeof rankOrder>; process: StartedProcess } | undefined {
    const found = record(rank);
    if (found?.process === undefined || ends.has(rank) || unreachable.has(found.nodeId)) return undefined;
    return { order: rankOrder(keeper.current, found), process: found.process };
  }
  const report = (error: unknown): void => {
    if (!signal.aborted) events.emit('app.problem', { error: toWireError(error) });
  };
  const change = (apply: (run: RunRecord) => RunRecord): void => void keeper.change(apply).catch(report);
  const blame = createLinkBlame(services, keeper);
  const disks = createDiskWatch({ lab: keeper.current.lab, keeper, events, clock, onError: report });
  const noteSighted = (): void => {
    const isKnown = ({ rank, nodeId }: RankRecord): boolean =>
      seenAlive.has(rank) || ends.has(rank) || triedNodes.has(nodeId);
    if (!keeper.current.ranks.every(isKnown)) return;
    if (ends.size === 0) allSighted();
    // Where one rank has ended, the others and the run will soon.
    else void clock.sleep(settings.endingPatience, signal).then(allSighted, allSighted);
  };
  const settle = (
    rank: number,
    how: RankEnd['how'],
    sight: Sight,
    words: readonly string[],
    fault?: WireError,
  ): void => {
    const found = record(rank);
    if (found === undefined || ends.has(rank)) return;
    const end: RankEnd = {
      rank,
      nodeName: found.nodeName,
      how,
      exit: sight.state === 'exited' ? sight.exit : undefined,
      asked: signaller.asked(rank),
      takenOut: signaller.killed(rank),
      isScript: keeper.current.lab.experiment.script !== undefined,
      ...lines.last(rank),
      fault,
      lastWords: words,
    };
    ends.set(rank, end);
    noteSighted();
    change((run) => withReach(withEnd(run, end), unreachable, ends));
    react(end);
  };
  /** Where no exit code is seen, as a network file system may hide it for a minute, its own last line may say that it was done. */
  const settleGone = (rank: number, ...end: [RankEnd['how'], Sight, readonly string[], WireError?]): void => {
    const done = saidDone(lines.last(rank));
    if (done === undefined) settle(rank, ...end);
    else settle(rank, 'exited', done, []);
  };
  /**
   * A failed rank stops the others, unless they may go on without it; its error becomes the run's at once, before the
   * others have ended.
   */
  const react = (end: RankEnd): void => {
    const role = roleOf(end);
    const goesOn = rankCount - failures([...ends.values()]).length >= fewest();
    if (!goesOn && role === 'cause') fail();
    else if (!goesOn && role === 'consequence' && !stopAsked && !patience) {
      patience = true;
      void clock.sleep(settings.causePatience, signal).then(fail, () => undefined);
    }
    if (ends.size === rankCount) concluding ??= untilRecorded(services, signal, conclude).catch(report);
    else giveUpNeedless();
  };
  /** Where enough ranks have ended well, the run does not wait for nodes that are out of reach. */
  const giveUpNeedless = (): void => {
    const awaited = keeper.current.ranks.filter(({ rank }) => !ends.has(rank));
    if (ends.size - failures([...ends.values()]).length < fewest()) return;
    if (!awaited.every(({ nodeId }) => unreachable.has(nodeId))) return;
    const giveUpAll = (): void => {
      for (const { nodeId } of awaited) if (unreachable.has(nodeId)) giveUp(nodeId, 'lost');
    };
    void clock.sleep(settings.endingPatience, signal).then(giveUpAll, () => undefined);
  };
  const fail = (): void => {
    if (concluding !== undefined) return;
    const failure = blame(failureOf([...ends.values()], keeper.current.epochsCompleted));
    if (failure !== undefined) change((run) => ({ ...run, error: failure }));
    if (ends.size < rankCount) askedToEnd.afterFailure([...ends.values()]);
  };
  const conclude = async (): Promise<void> => {
    const run = keeper.current;
    const outcome = verdict(deciding([...ends.values()], fewest()), { ...run, stopAsked });
    // Monitors end within a second after the ranks: their last samples belong to the run.
    if (outcome.state === 'finished' || outcome.state === 'stopped') await monitors.ended(1500);
    if (run.lab.experiment.script !== undefined) await collection.ended(run);
    await Promise.all(followers.map((follower) => follower.stop()));
    await monitors.end();
    await keeper.change((before) => withEnds(before, [...ends.values()]));
    await finish(outcome.state, blame(outcome.error), ownCodeOf([...ends.values()]));
    allSighted();
  };
  const seen = ({ rank, order }: FollowedProcess, sight: Sight, words: readonly string[]): void => {
    if (signal.aborted) return;
    if (rank === undefined) {
      monitors.seen(order.nodeId, sight);
      return;
    }
    switch (sight.state) {
      case 'starting':
      case 'alive':
        vanishedSince.delete(rank);
        seenAlive.add(rank);
        noteSighted();
        if (sight.state === 'starting') return;
        if (record(rank)?.process?.id !== sight.process.id)
          change((run) => withProcess(run, rank, sight.process));
        if (sight.job !== undefined) change((run) => withJob(run, rank, sight.job));
        signaller.again(rank, sight.job?.waits);
        return;
      case 'exited': {
        const t = endedAt(keeper.current, order.nodeId, sight.exit.t, secondsNow(clock));
        settle(rank, 'exited', { ...sight, exit: { ...sight.exit, t } }, words);
        return;
      }
      case 'revoked':
      case 'rebooted':
        settleGone(rank, sight.state, sight, words, sight.state === 'revoked' ? sight.fault : undefined);
        return;
      case 'vanished':
      case 'absent': {
        const since = vanishedSince.get(rank) ?? clock.ticks();
        vanishedSince.set(rank, since);
        if (clock.ticks() - since < settings.vanishGrace) return;
        settleGone(rank, record(rank)?.process === undefined ? 'unstarted' : 'vanished', sight, words);
      }
    }
  };
  const reachChanged = (): void => change((run) => withReach(run, unreachable, ends));
  const giveUp = (nodeId: string, how: 'lost' | 'nonsense' | 'revoked', fault?: WireError): void => {
    for (const { rank } of ranksOn(nodeId)) settle(rank, how, { state: 'absent' }, [], fault);
  };
  /** A rank that the others go on without stops at no step of theirs. */
  const killLeftOut = (): void => leftOut(keeper.current).forEach(({ rank }) => signaller.kill(rank));
  const listener: FollowerListener = {
    appended(source, appended) {
      lines.appended(source, appended);
      if (appended.points.some(({ line }) => line.kind === 'membership')) {
        reachChanged();
        if (stopAsked) killLeftOut();
      }
      trainsUnseen.appended(appended.points);
      disks(source, appended.points);
      collection.appended(source, appended.points);
    },
    logGrew: (rank, size) => events.emit('run.log', { runId: keeper.current.id, rank, size }),
    problem: (error) => events.emit('app.problem', { error: toWireError(error) }),
    seen,
    reached(nodeId) {
      const back = servedBy(nodeId).filter((id) => unreachable.delete(id));
      if (back.length > 0) reachChanged();
    },
    unreachable(nodeId) {
      for (const id of servedBy(nodeId)) triedNodes.add(id);
      noteSighted();
      if (unreachable.has(nodeId) || signal.aborted) return;
      for (const id of servedBy(nodeId)) unreachable.set(id, secondsNow(clock));
      reachChanged();
      giveUpNeedless();
    },
    trains: (nodeId) => trainsUnseen.on(servedBy(nodeId), ends),
    lost: (nodeId) => servedBy(nodeId).forEach((id) => giveUp(id, 'lost')),
    gone: (nodeId, how, fault) => servedBy(nodeId).forEach((id) => giveUp(id, how, fault)),
  };
  const stop = (again: boolean): void => {
    stopAsked = true;
    if (again) for (const nodeId of unreachable.keys()) giveUp(nodeId, 'lost');
    killLeftOut();
    askedToEnd.toSave(again);
  };
  return {
    async begin({ adopted, stopWanted }) {
      if (adopted) await lines.load();
      for (const [nodeId, since] of Object.entries(keeper.current.unreachable))
        unreachable.set(nodeId, since);
      if (adopted) reachChanged();
      const { lab, id } = keeper.current;
      const begunAt = keeper.current.startedAt ?? keeper.current.createdAt;
      for (const nodeId of ranksByNode(keeper.current).keys()) monitors.expect(nodeId);
      for (const [nodeId, processes] of followedBySession(keeper.current)) {
        const node = lab.nodes.find((candidate) => candidate.id === nodeId);
        if (node === undefined) continue;
        followers.push(
          followNode({ ...services, launcher, lab, runId: id, begunAt, node, processes, listener }),
        );
      }
      if (stopWanted) stop(false);
    },
    stop,
    takeOut: (nodeId) => ranksOn(nodeId).forEach(({ rank }) => signaller.kill(rank)),
    sighted,
    async close() {
      allSighted();
      await Promise.all(followers.map((follower) => follower.stop()));
      await concluding;
    },
  };
}
