/** The run service: all runs, active and ended. */
import { RinglabError, toWireError, notFound } from '../../../shared/base/errors.ts';
import { labErrors } from '../../../shared/lab/issue-texts.ts';
import { checkLab } from '../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { canResume, isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { createActiveRun, type ActiveRun } from './active-run.ts';
import { annotated } from './annotated.ts';
import { createLaunchers } from '../launch/launchers.ts';
import type { SlurmControllers } from '../launch/slurm/controller.ts';
import { commandsOf } from '../artifacts/artifacts.ts';
import { createBin, intoBin } from './bin.ts';
import { checkpointRequests } from './checkpoint-requests.ts';
import { createCheckpointsHome, hasCheckpoints } from './checkpoints-home.ts';
import { secondsNow, systemClock } from '../../base/clock.ts';
import type { Runs } from './contract.ts';
import { eventRequests } from './event-requests.ts';
import { computeOnce } from './known-compute.ts';
import { knownTimes } from './known-script.ts';
import { logRequests } from './log-requests.ts';
import { withOwnName } from './run-name.ts';
import { changedLab, newRun, userAttempt } from './new-run.ts';
import { planRun } from './plan.ts';
import { createOneALab } from './one-a-lab.ts';
import { createQueue, queueServices } from './queue.ts';
import { scriptRequests } from './script-requests.ts';
import { sweptName } from './sweep-name.ts';
import { sweepRecords } from './sweep.ts';
import { removeFromNodes } from './removal.ts';
import type { RunServices } from '../record/services.ts';
import { defaultSettings, type RunSettings } from '../record/settings.ts';
import { stillWanted } from './still-wanted.ts';
import { createStoredChanges } from './stored-changes.ts';
import { interruptUnprepared, nothingStarted } from './unprepared.ts';
import { wrongState } from '../record/wrong-state.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

export type RunDependencies = Omit<RunServices, 'clock' | 'settings' | 'launcher'> & {
  readonly clock?: RunServices['clock'];
  readonly settings?: Partial<RunSettings>;
  /** Whether a run communicates over the drawn links: emulated, or between real machines. */
  readonly linksAreReal?: (lab: LabDocument) => Promise<boolean>;
  /** Shared with what else asks a cluster's controller. */
  readonly slurmControllers?: SlurmControllers;
  /** Nothing is started, resumed or stopped before `adopt` has found which runs are still active. */
  readonly adoptsFirst?: boolean;
};

export function createRuns(dependencies: RunDependencies): Runs {
  const clock = dependencies.clock ?? systemClock;
  const settings = { ...defaultSettings, ...dependencies.settings };
  const closing = new AbortController();
  const launcher = createLaunchers({ ...dependencies, clock, settings, closing: closing.signal });
  const services: RunServices = { ...dependencies, clock, settings, launcher };
  const { store, events } = services;
  const linksAreReal = dependencies.linksAreReal ?? (() => Promise.resolve(true));
  const active = new Map<string, ActiveRun>();
  /** Resolves when an active run has been released. */
  const settling = new Map<string, Promise<void>>();
  let adoptionDone = (): void => undefined;
  const adopted = new Promise<void>((resolve) => (adoptionDone = resolve));
  if (dependencies.adoptsFirst !== true) adoptionDone();
  const report = (error: unknown): void => events.emit('app.problem', { error: toWireError(error) });

  const { change, alone } = createStoredChanges({ store, events, active });
  const home = createCheckpointsHome(services, change, closing.signal, report);
  const add = (record: RunRecord): ActiveRun => {
    const run = createActiveRun(services, record);
    active.set(record.id, run);
    const letGo = async (): Promise<void> => {
      const ended = await run.ended;
      if (ended === undefined) return;
      await queue.hold(ended).catch(report);
      await run.close();
      active.delete(ended.id);
      if (hasCheckpoints(ended)) home.bring(ended);
      if (!closing.signal.aborted) await queue.after(ended);
    };
    settling.set(
      record.id,
      letGo()
        .catch(report)
        .finally(() => settling.delete(record.id)),
    );
    return run;
  };
  const get = async (runId: string): Promise<RunRecord> => {
    const run = active.get(runId)?.record ?? (await store.getRun(runId));
    if (run === undefined) throw notFound('run', runId);
    return run;
  };
  const oneALab = createOneALab(active);
  /** Resolves when it is known which runs a previous process left on the nodes, and whether these still run. */
  const known = async (concerns: (run: RunRecord) => boolean): Promise<void> => {
    await adopted;
    const asked = [...active.values()].filter(({ record }) => concerns(record));
    await Promise.all(asked.map((run) => run.sighted()));
    closing.signal.throwIfAborted();
  };
  const knownOf = (labId: string): Promise<void> => known((run) => run.labId === labId);
  const checked = (lab: LabDocument): void => {
    const refused = labErrors(checkLab(lab), lab.name);
    if (refused !== undefined) throw refused;
  };
  const planned = async (lab: LabDocument, computeOf = computeOnce(store)): Promise<RunRecord> =>
    newRun(lab, planRun(lab, await computeOf(lab), await linksAreReal(lab)), secondsNow(clock));
  /** Activates a recorded run: `resume` as its next attempt. Rejects where it cannot be recorded; nothing starts then. */
  const launch = async (asked: RunRecord, resume = false): Promise<{ runId: string }> => {
    await home.keepPods(asked);
    return await alone(asked.id, async () => {
      const record = await stillWanted(store, asked);
      closing.signal.throwIfAborted();
      // Checked again: it has waited, as for the disk.
      oneALab.refuseSecond(record.labId);
      const run = add(record);
      try {
        const now = secondsNow(clock);
        const next = (before: RunRecord): RunRecord =>
          resume ? userAttempt(before, now) : { ...before, state: 'preparing', heldBy: undefined };
        await oneALab.during(record.id, () => run.change(next));
      } catch (error) {
        active.delete(record.id);
        await run.close();
        throw error;
      }
      run.begin(resume);
      return { runId: record.id };
    });
  };
  const queue = createQueue({
    ...queueServices(services, closing.signal),
    ...{ change, busy: oneALab.isBusy, launch },
  });
  const removeForGood = async (run: RunRecord, nodes: boolean, signal?: AbortSignal): Promise<void> => {
    await home.stop(run.id);
    if (nodes) await removeFromNodes(services, run, signal);
    signal?.throwIfAborted();
    await alone(run.id, () => store.deleteRun(run.id));
    events.emit('run.removed', { runId: run.id });
  };
  const bin = createBin({
    ...{ store, change, report, closing: closing.signal },
    now: () => secondsNow(clock),
    isActive: (runId) => active.has(runId),
    remove: (run, signal) => removeForGood(run, run.binned?.nodes === true, signal),
  });
  const running = async (runId: string, remedy: Phrase): Promise<ActiveRun> => {
    await adopted;
    const run = active.get(runId);
    if (run === undefined) throw wrongState(await get(runId), remedy);
    return run;
  };
  const endedRun = async (runId: string, remedy: Phrase): Promise<RunRecord> => {
    if (isEnded((await get(runId)).state)) await settling.get(runId);
    const run = await get(runId);
    if (active.has(runId) || !isEnded(run.state)) throw wrongState(run, remedy);
    return run;
  };
  return {
    measured: (lab) => knownTimes(store, lab),
    async start(lab) {
      checked(lab);
      await knownOf(lab.id);
      oneALab.refuseSecond(lab.id);
      return await launch(withOwnName(await planned(lab), await store.listRuns({ labId: lab.id })));
    },
    async queue(lab, changes, repeats, checkpoint) {
      const labs = changes.map((change) => changedLab(lab, sweptName(lab, repeats), change));
      for (const one of labs) checked(one);
      await knownOf(lab.id);
      // Listed once for all of them, however many runs there are.
      const stored = await store.listRuns();
      const computeOf = computeOnce({ ...store, listRuns: () => Promise.resolve(stored) });
      const sweep = { lab, labs, changes, repeats, checkpoint, stored };
      const records = await sweepRecords(sweep, (one) => planned(one, computeOf));
      await queue.add(records);
      return { runIds: records.map(({ id }) => id) };
    },
    async stop(runId) {
      await adopted;
      const waiting = active.has(runId) ? undefined : await get(runId);
      if (waiting?.state === 'queued' && (await queue.leave(waiting)).state === 'stopped') return;
      // Its turn may have come meanwhile.
      const run = active.get(runId);
      if (run === undefined || isEnded(run.record.state))
        throw wrongState(await get(runId), phrase('reasons.run.ended'));
      await run.stop();
    },
    rejoin: async (runId, wanted, drawn) =>
      (await running(runId, phrase('reasons.run.allThere'))).rejoin(wanted, drawn),
    takeOut: async (runId, nodeId) =>
      (await running(runId, phrase('reasons.run.notWithout'))).takeOut(nodeId),
    async resume(runId, alone) {
      await knownOf((await get(runId)).labId);
      const waiting = await get(runId);
      const isQueued = waiting.state === 'queued';
      const record = isQueued ? waiting : await endedRun(runId, phrase('reasons.run.stopFirst'));
      if (!isQueued && !canResume(record.state)) throw wrongState(record, phrase('reasons.run.startNew'));
      oneALab.refuseSecond(record.labId);
      await queue.release(record, alone);
      // Otherwise no list would show it while it trains, and its week in the bin would go on.
      return await launch(record.binned === undefined ? record : await bin.restore(runId), !isQueued);
    },
    async list(labId, bin = false) {
      const stored = await store.listRuns({ labId });
      return stored
        .map((run) => active.get(run.id)?.record ?? run)
        .filter((run) => (labId === undefined || run.labId === labId) && (run.binned !== undefined) === bin)
        .sort((a, b) => b.createdAt - a.createdAt);
    },
    underWay: () => [...active.values()].flatMap(({ record }) => (isEnded(record.state) ? [] : [record])),
    recent: async (endedSince) =>
      (await store.listRuns({ endedSince })).filter(({ binned }) => binned === undefined),
    get,
    async annotate(runId, wanted) {
      const apply = (run: RunRecord): RunRecord => annotated(run, wanted, secondsNow(clock));
      return await (active.get(runId)?.change(apply) ?? change(runId, apply));
    },
    ...eventRequests(active, clock),
    async bin(runId, { nodes }) {
      const remedy = phrase('reasons.run.stopFirst');
      if ((await get(runId)).state !== 'queued') await endedRun(runId, remedy);
      await change(runId, (run) => {
        // Its turn may have come meanwhile.
        if (run.state !== 'queued' && !isEnded(run.state)) throw wrongState(run, remedy);
        return intoBin(run, nodes, secondsNow(clock));
      });
      // Not awaited: a node that is off takes its time.
      void bin.empty();
    },
    async restore(runId) {
      const run = await bin.restore(runId);
      // Not awaited: a start may wait for pods or for the disk.
      if (run.state === 'queued') void queue.next(run.labId).catch(report);
      return run;
    },
    delete: async (runId, { nodes }) => {
      await removeForGood(await endedRun(runId, phrase('reasons.run.stopFirst')), nodes);
    },
    ...checkpointRequests(services, get),
    async leftPods() {
      // A run that ends just now has not begun to bring them.
      const ending = [...active.values()].filter(({ record }) => isEnded(record.state));
      await Promise.all(ending.flatMap(({ record }) => settling.get(record.id) ?? []));
      await home.leftPods();
    },
    commands: async (runId) => commandsOf(await get(runId)),
    ...scriptRequests(services, get),
    ...logRequests(services, get),
    sighted: () => known(() => true),
    async adopt() {
      try {
        const stored = await store.listRuns();
        for (const run of stored) {
          if (isEnded(run.state) || run.state === 'queued' || active.has(run.id)) continue;
          const taken = add(run);
          // An error of one run must not prevent the others from being adopted.
          await (nothingStarted(run) ? interrupt(taken) : taken.adopt()).catch(report);
        }
        home.goOn(stored, oneALab.isBusy);
      } finally {
        adoptionDone();
      }
      await bin.empty();
    },
    async startWaiting(labId) {
      await adopted;
      if (!closing.signal.aborted) await queue.goOn(labId);
    },
    async close() {
      closing.abort(new RinglabError('cancelled'));
      adoptionDone();
      const closed = [...active.values()].map(async (run) => {
        await run.close();
        // Otherwise the next app finds it interrupted, as after a crash.
        await queue.putBack(run.record).catch(() => undefined);
      });
      await Promise.all(closed);
      await home.ended();
      await queue.settled();
      await bin.empty();
      active.clear();
    },
  };

  /** The app ended before anything was started: nothing to follow. */
  async function interrupt(run: ActiveRun): Promise<void> {
    await interruptUnprepared(run, secondsNow(clock));
    await queue.hold(run.record).catch(report);
    active.delete(run.record.id);
    await run.close();
  }
}
