/** Runs one step on one node and records it: check, apply where needed, verify; retries after a lost connection. */
import { lineIn, plain, type Line } from '../../../shared/base/phrase.ts';
import type { Diagnosed } from '../../../shared/node/diagnosis.ts';
import { isCancelled, RinglabError, toWireError, type ErrorCode } from '../../../shared/base/errors.ts';
import { reasonOf } from '../../base/reason.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { PlannedStep } from '../../../shared/node/provision.ts';
import { isConnectionLost, type SshSession } from '../../ssh/index.ts';
import { phrase } from '../../i18n/index.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { pause, type Clock } from '../../base/clock.ts';
import type { Lending } from '../node/lending.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { diagnose, diagnosisOf } from '../diagnoses/diagnoses.ts';
import { foresee } from './foresee.ts';
import type { Answers } from '../node/questions.ts';
import type { NodeStatus, StepStatus } from '../node/readiness.ts';
import { reboot } from '../node/reboot.ts';
import type { Rights } from '../node/rights.ts';
import { known, placeOf, type NodeWork, type ScriptCode, type Step, type StepContext } from './step.ts';
import { machineOf } from '../node/trainer-origin.ts';

export interface StepRun {
  readonly lab: LabDocument;
  readonly node: LabNode;
  readonly status: NodeStatus;
  readonly work: NodeWork;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly redo: boolean;
  /** Returns the live session, reconnecting after a loss. */
  readonly connect: () => Promise<SshSession>;
  readonly rights: Rights;
  /** Where the user lends the node this computer's internet connection. */
  readonly lending?: Lending | undefined;
  /** The bundle for nodes without internet. */
  readonly bundle?: BundleStore | undefined;
  /** Of an own script. */
  readonly code?: ScriptCode | undefined;
  /** Batches the questions of the following steps with this one's. */
  readonly answers?: Answers | undefined;
  readonly following?: readonly Step[] | undefined;
}

/** Maximum number of attempts without progress; steps are idempotent, so a step that lost its connection is repeated. */
const attempts = 3;
const pauseMs = 1000;
const transient: ReadonlySet<ErrorCode> = new Set(['channel_refused', 'transfer_failed']);
const isTransient = (error: unknown): boolean =>
  isConnectionLost(error) || (error instanceof RinglabError && transient.has(error.code));

/** Throws the step's error with the node's name as `where`, after recording it; `cancelled` where it was cancelled. */
export async function runStep(step: Step, run: StepRun): Promise<void> {
  await recorded(placeOf(step), run, async (record) => {
    let furthest = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await once(step, run);
        return;
      } catch (error) {
        const again = isTransient(error) && !run.signal.aborted;
        const done = record.done;
        if (done > furthest) [furthest, attempt] = [done, 1];
        // The SSH layer has its own retries for connecting; a node is rebooted once.
        if (!again || attempt === attempts || step.id === 'reach' || step.id === 'reboot') throw error;
        const seconds = (pauseMs * attempt) / 1000;
        record.log.add(phrase('stepLog.again', { problem: reasonOf(error), seconds }));
        await pause(run.clock, pauseMs * attempt, run.signal);
      }
    }
  });
}

export type RecordedRun = Pick<StepRun, 'node' | 'status' | 'signal' | 'clock'>;

/** Starts the step's record, calls `work`, and records its failure. `work` itself records success. */
export async function recorded(
  { id, instead }: ReturnType<typeof placeOf>,
  run: RecordedRun,
  work: (record: StepStatus) => Promise<void>,
): Promise<void> {
  const record = run.status.step(id);
  record.begin(run.clock.now(), instead);
  try {
    run.signal.throwIfAborted();
    await work(record);
  } catch (error) {
    const named = finalError(error, run);
    const cancelled = isCancelled(named);
    record.log.flush();
    const diagnoses = cancelled ? [] : diagnosesOf(named, record.log.lines);
    record.log.add(
      cancelled ? phrase('stepLog.cancelled') : phrase('stepLog.failed', { problem: reasonOf(named) }),
    );
    record.set({
      state: cancelled ? 'cancelled' : 'failed',
      endedAt: run.clock.now() / 1000,
      ...(cancelled ? {} : { error: toWireError(named) }),
      ...(diagnoses.length === 0 ? {} : { diagnoses }),
    });
    throw named;
  }
}

/** A step's context on a live session. */
async function contextOf(step: Step, run: StepRun): Promise<StepContext> {
  const { signal, status, work, clock } = run;
  const record = status.step(placeOf(step).id);
  signal.throwIfAborted();
  const session = await run.connect();
  signal.throwIfAborted();
  const rights = run.rights.of(session);
  const context: StepContext = {
    lab: run.lab,
    node: run.node,
    machine: machineOf(session),
    shell: createNodeShell(session, record, signal, undefined, run.lending, run.answers),
    rights,
    work,
    status: record,
    signal,
    connect: run.connect,
    redo: run.redo,
    bundle: run.bundle,
    code: run.code,
    async reboot(command) {
      const { shell } = context;
      const facts = known(work, 'facts');
      const back = await reboot({
        shell,
        facts,
        rights,
        command,
        connect: run.connect,
        clock,
        signal,
        status: record,
      });
      context.shell = createNodeShell(back, record, signal, undefined, run.lending);
      context.rights = run.rights.of(back);
    },
  };
  return context;
}

/** Dry run of one step. Throws only where it is cancelled. */
export async function planStep(step: Step, run: StepRun): Promise<PlannedStep> {
  try {
    const context = await contextOf(step, run);
    const summary = await step.check(context);
    if (summary !== undefined) return { ...placeOf(step), state: 'done', summary, changes: [] };
    const changes = (await step.plan?.(context)) ?? [];
    return {
      ...placeOf(step),
      state: 'change',
      summary: plain(''),
      changes: changes.map(({ what, command }) => ({ what, command })),
    };
  } catch (error) {
    const named = finalError(error, run);
    if (isCancelled(named)) throw named;
    return { ...placeOf(step), state: 'blocked', summary: plain(''), changes: [], error: toWireError(named) };
  }
}

async function once(step: Step, run: StepRun): Promise<void> {
  const { signal, status, clock } = run;
  const record = status.step(placeOf(step).id);
  const context = await contextOf(step, run);
  record.set({ state: 'checking' });
  if (run.answers !== undefined)
    await foresee([step, ...(run.following ?? [])], context, context.shell.session, run.answers);
  let summary = await step.check(context);
  const alreadyThere = summary !== undefined;
  if (summary === undefined) {
    signal.throwIfAborted();
    record.set({ state: 'applying' });
    run.answers?.forget();
    await step.apply(context);
    signal.throwIfAborted();
    record.set({ state: 'verifying' });
    summary = await step.verify(context);
  }
  record.set({ state: 'done', alreadyThere, summary, endedAt: clock.now() / 1000 });
}

/** Diagnoses from the error itself first, then from the output of the last command, then from earlier ones. */
function diagnosesOf(error: RinglabError, lines: readonly Line[]): Diagnosed[] {
  const log = lines.map((line) => lineIn(line, 'en'));
  const named = diagnosisOf(String(error.params.diagnosis ?? ''));
  const last = log.findLastIndex((line) => line.startsWith('$ '));
  const found = [
    ...(named === undefined ? [] : [named]),
    ...diagnose([...log.slice(Math.max(0, last)), error.detail ?? ''].join('\n')),
    ...diagnose(log.slice(0, Math.max(0, last)).join('\n')),
  ];
  return [...new Map(found.reverse().map((one) => [one.code, one])).values()].reverse().slice(0, 5);
}

/** Cancellation takes precedence over the error that it caused; other errors get the node's name. */
function finalError(error: unknown, run: RecordedRun): RinglabError {
  if (run.signal.aborted || isCancelled(error)) return new RinglabError('cancelled', {}, { cause: error });
  if (error instanceof RinglabError) return error.at(run.node.name);
  const { code, params, detail } = toWireError(error);
  return new RinglabError(code, params, { where: run.node.name, detail, cause: error });
}
