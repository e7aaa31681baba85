/** The run service: every run there is, those under way among them. */
import { randomBytes } from 'node:crypto';
import { isCancelled, RinglabError, toWireError } from '../../shared/errors.ts';
import { checkLab, hasErrors } from '../../shared/lab-check.ts';
import type { LabDocument } from '../../shared/lab.ts';
import { canResume, isEnded, type RankRecord, type RunRecord } from '../../shared/run.ts';
import { createActiveRun, type ActiveRun } from './active-run.ts';
import { commandsOf, fetchCheckpoints, makeArtifact } from './artifacts.ts';
import { systemClock } from './clock.ts';
import type { Runs } from './contract.ts';
import { shellQuote } from '../ssh/index.ts';
import { readLog } from './rank-log.ts';
import { knownCompute } from './known-compute.ts';
import { planRun, type RunPlan } from './plan.ts';
import type { RunServices } from './services.ts';
import { defaultSettings, type RunSettings } from './settings.ts';

export type RunDependencies = Pick<
  RunServices,
  'store' | 'reach' | 'provisioner' | 'events' | 'launcher' | 'linksDown'
> & {
  readonly clock?: RunServices['clock'];
  readonly settings?: Partial<RunSettings>;
  /** Whether the drawn links are what a run communicates over: emulated, or those of real machines. */
  readonly linksAreReal?: (lab: LabDocument) => Promise<boolean>;
};

export function createRuns(dependencies: RunDependencies): Runs {
  const services: RunServices = {
    ...dependencies,
    clock: dependencies.clock ?? systemClock,
    settings: { ...defaultSettings, ...dependencies.settings },
  };
  const { store, reach, events, clock } = services;
  const linksAreReal = dependencies.linksAreReal ?? (() => Promise.resolve(true));
  const active = new Map<string, ActiveRun>();
  /** Resolves when a run that was under way is let go of. */
  const settling = new Map<string, Promise<void>>();
  const closing = new AbortController();
  /** Checkpoints on their way home, by run. */
  const fetching = new Map<string, { stop: AbortController; done: Promise<void> }>();
  const report = (error: unknown): void => {
    events.emit('app.problem', { error: toWireError(error) });
  };

  const takeHome = (run: RunRecord): void => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing.signal]);
    const done = fetchCheckpoints(services, run, signal)
      .catch((error: unknown) => {
        if (!isCancelled(error) && !signal.aborted) report(error);
      })
      .finally(() => fetching.delete(run.id));
    fetching.set(run.id, { stop, done });
  };
  const add = (record: RunRecord): ActiveRun => {
    const run = createActiveRun(services, record);
    active.set(record.id, run);
    const letGo = async (): Promise<void> => {
      const ended = await run.ended;
      if (ended === undefined) return;
      await run.close();
      active.delete(ended.id);
      if (ended.ranks.some((rank) => rank.argv.length > 0) && ended.state !== 'lost') takeHome(ended);
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
    if (run === undefined) throw new RinglabError('not_found', { what: 'run', id: runId });
    return run;
  };
  const underWay = (lab: LabDocument): RunRecord | undefined =>
    [...active.values()].map((run) => run.record).find((run) => run.labId === lab.id && !isEnded(run.state));
  const refuseSecond = (lab: LabDocument): void => {
    const other = underWay(lab);
    if (other === undefined) return;
    throw new RinglabError(
      'run_wrong_state',
      { state: other.state, run: other.id, remedy: `Stop “${other.name}” first: a lab runs once at a time.` },
      { where: other.name },
    );
  };
  const wrongState = (run: RunRecord, remedy: string): RinglabError =>
    new RinglabError('run_wrong_state', { state: run.state, remedy }, { where: run.name });
  const endedRun = async (runId: string, remedy: string): Promise<RunRecord> => {
    if (isEnded((await get(runId)).state)) await settling.get(runId);
    const run = await get(runId);
    if (active.has(runId) || !isEnded(run.state)) throw wrongState(run, remedy);
    return run;
  };

  return {
    measured: (lab) => knownCompute(store, lab),
    async start(lab) {
      const issues = checkLab(lab);
      const errors = issues.filter((issue) => issue.severity === 'error');
      if (hasErrors(issues)) {
        const first = `${errors[0]?.path ?? ''} ${errors[0]?.code ?? ''}`;
        throw new RinglabError('lab_has_errors', { count: errors.length, first }, { where: lab.name });
      }
      refuseSecond(lab);
      const run = add(
        newRun(lab, planRun(lab, await knownCompute(store, lab), await linksAreReal(lab)), clock.now()),
      );

      try {
        await run.change((record) => ({ ...record, state: 'preparing' }));
      } catch (error) {
        active.delete(run.record.id);
        await run.close();
        throw error;
      }
      run.begin(false);
      return { runId: run.record.id };
    },
    async stop(runId) {
      const run = active.get(runId);
      if (run === undefined || isEnded(run.record.state))
        throw wrongState(await get(runId), 'It has ended already.');
      await run.stop();
    },
    async resume(runId) {
      const record = await endedRun(runId, 'Stop it first.');
      if (!canResume(record.state)) throw wrongState(record, 'Start a new run.');
      refuseSecond(record.lab);
      const run = add(record);
      try {
        await run.change((before) => nextAttempt(before));
      } catch (error) {
        active.delete(runId);
        await run.close();
        throw error;
      }
      run.begin(true);
      return { runId };
    },
    async list(labId) {
      const stored = await store.listRuns();
      return stored
        .map((run) => active.get(run.id)?.record ?? run)
        .filter((run) => labId === undefined || run.labId === labId)
        .sort((a, b) => b.createdAt - a.createdAt);
    },
    get,
    async annotate(runId, change) {
      const apply = (run: RunRecord): RunRecord => ({
        ...run,
        name: change.name ?? run.name,
        notes: change.notes ?? run.notes,
      });
      const running = active.get(runId);
      if (running !== undefined) return await running.change(apply);
      const run = apply(await get(runId));
      await store.saveRun(run);
      events.emit('run.changed', { run });
      return run;
    },
    async delete(runId, { nodes }) {
      const run = await endedRun(runId, 'Stop it first.');
      const bringing = fetching.get(runId);
      bringing?.stop.abort();
      await bringing?.done;
      if (nodes) await removeFromNodes(services, run);
      await store.deleteRun(runId);
      events.emit('run.removed', { runId });
    },
    artifact: async (runId, artifact, signal) =>
      await makeArtifact(services, await get(runId), artifact, signal),
    commands: async (runId) => commandsOf(await get(runId)),
    log: async (query) => await readLog(services, await get(query.runId), query),
    async adopt() {
      for (const run of await store.listRuns()) {
        if (isEnded(run.state) || active.has(run.id)) continue;
        const adopted = add(run);
        const nothingStarted = run.state === 'draft' || run.state === 'preparing';
        // One run that cannot be taken up must not keep the others from it.
        await (nothingStarted ? interrupt(adopted) : adopted.adopt()).catch(report);
      }
    },
    async close() {
      closing.abort();
      await Promise.all([...active.values()].map((run) => run.close()));
      await Promise.all([...fetching.values()].map(({ done }) => done));
      active.clear();
    },
  };

  /** The app ended before anything was started: nothing runs on, nothing to follow. */
  async function interrupt(run: ActiveRun): Promise<void> {
    const reason = 'the app ended while the nodes were being prepared';
    await run.change((record) => (record.state === 'draft' ? { ...record, state: 'preparing' } : record));
    await run.change((record) => ({
      ...record,
      state: 'interrupted',
      endedAt: clock.now(),
      error: { code: 'run_interrupted', params: { reason, epoch: record.epochsCompleted } },
    }));
    active.delete(run.record.id);
    await run.close();
  }

  /** Every node or none is reported: the run stays where one refuses, so that nothing is left behind unseen. */
  async function removeFromNodes(on: RunServices, run: RunRecord): Promise<void> {
    const folders = new Map(
      run.ranks.map((rank) => [rank.nodeId, rank.directory.replace(/\/rank-\d+$/, '')]),
    );
    await Promise.all(
      [...folders].map(async ([nodeId, folder]) => {
        if (!folder.endsWith(`/.ringlab/runs/${run.id}`)) return;
        const session = await reach.session(run.lab, nodeId);
        await session.run(`rm -rf ${shellQuote(folder)}`, { timeoutMs: on.settings.readTimeout });
      }),
    );
  }
}

function newRun(drawn: LabDocument, { lab, nodeOrder, estimate }: RunPlan, now: number): RunRecord {
  const stamp = new Date(now * 1000).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return {
    version: 1,
    id: `${stamp}-${randomBytes(3).toString('hex')}`,
    name: drawn.name,
    labId: drawn.id,
    lab,
    nodeOrder,
    estimate,
    state: 'draft',
    attempt: 1,
    createdAt: now,
    epochsCompleted: 0,
    epochs: lab.experiment.epochs,
    step: 0,
    ranks: [],
    unreachable: {},
    badLines: 0,
    notes: '',
  };
}

/** Back to preparing; what the last attempt left behind is cleared, its curve and its commands stay. */
function nextAttempt(run: RunRecord): RunRecord {
  const ranks = run.ranks.map((rank): RankRecord => ({
    ...rank,
    state: 'pending',
    process: undefined,
    exit: undefined,
    error: undefined,
    lastWords: undefined,
  }));
  return {
    ...run,
    state: 'preparing',
    attempt: run.attempt + 1,
    endedAt: undefined,
    error: undefined,
    ranks,
  };
}
