/** `ringlab run LAB`, `resume RUN`, `follow RUN`: follows a run to its end and prints one JSON object. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabApi } from '../../../../shared/contract/api.ts';
import { labErrors } from '../../../../shared/lab/issue-texts.ts';
import { checkLab } from '../../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import {
  canResume,
  isEnded,
  isUnderWay,
  type ExportedFile,
  type RunRecord,
  type RunState,
} from '../../../../shared/run/run.ts';
import { describeCodeSize } from '../../../../shared/run/code-size.ts';
import { measureCode, ownFolder } from '../../../code/index.ts';
import { checkHere } from '../../../lab/index.ts';
import { issueLine } from './check-command.ts';
import { findRun } from '../find-run.ts';
import { followRun, LeftRun, watchInterrupts, type Interrupts, type OnInterrupt } from '../follow.ts';
import { leaveQueueInTurn } from '../queue-turn.ts';
import { makeFolder } from '../platform.ts';
import { keepOutOfCode } from '../results-folder.ts';
import { describeRun, sayError, saveChart, takeHome } from '../run-result.ts';
import { takeScriptHome } from '../script-result.ts';
import { withSession, type Session, type SessionOptions } from '../session.ts';
import { language, speak } from '../speak.ts';
import { inSentence } from '../../../i18n/index.ts';

export interface RunOptions extends SessionOptions {
  readonly out: string | undefined;
  readonly chart: boolean;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** A run that a command has started or found. */
interface Found {
  readonly runId: string;
  /** Whether this command started it: then Ctrl+C stops it. */
  readonly started: boolean;
}

/** Exit code: 0 finished, 1 any other end, 2 invalid input (thrown as a RinglabError). */
export async function runLab(
  lab: LabDocument,
  options: RunOptions & { readonly queue: boolean },
): Promise<number> {
  const issues = checkLab(lab);
  for (const issue of issues) say(issueLine(issue));
  const refused = labErrors(issues, lab.name);
  if (refused !== undefined) throw refused;
  await mustHaveCode(lab);
  await sayCodeSize(lab);
  const asked = Date.now() / 1000;
  return await toItsEnd(options, options.out ?? 'ringlab-out', async (session, again) => {
    session.concerns(lab.id);
    const recorded = again ? await recordedSince(session, lab, asked) : undefined;
    if (recorded !== undefined) return recorded;
    if (!options.queue) return await startOrFind(session, lab);
    const { runIds } = await session.api.call('run.queue', { from: { lab }, changes: [{}] });
    return { runId: runIds[0] ?? '', started: true };
  });
}

/**
 * The rest that a lab needs of this computer is looked for where its run starts, which may be another app with another SSH agent.
 * @throws lab_has_errors where the folder of the script is not there
 */
async function mustHaveCode(lab: LabDocument): Promise<void> {
  const here = { home: homedir(), agent: undefined, platform: process.platform };
  const absent = (await checkHere(lab, here)).filter(({ code }) => code === 'script_folder_absent');
  for (const issue of absent) say(issueLine(issue));
  const refused = labErrors(absent, lab.name);
  if (refused !== undefined) throw refused;
}

/**
 * Before anything is sent, and before a run is recorded whose code is too large.
 * @throws code_too_large, code_link_outside, file_unreadable
 */
async function sayCodeSize({ experiment: { script } }: LabDocument): Promise<void> {
  if (script?.source.type !== 'folder') return;
  say(describeCodeSize(await measureCode(ownFolder(script.source.path, homedir())), language));
}

/** The run that the previous app recorded for this command before it ended without answering. */
async function recordedSince({ api }: Session, lab: LabDocument, asked: number): Promise<Found | undefined> {
  for (const { id, createdAt } of await api.call('run.list', { labId: lab.id, asked: true })) {
    if (createdAt < asked) continue;
    const run = await api.call('run.get', { runId: id });
    if (!sameExperiment(lab, run.lab)) continue;
    if (run.state === 'interrupted') await api.call('run.resume', { runId: id });
    return { runId: id, started: true };
  }
  return undefined;
}

async function startOrFind(session: Session, lab: LabDocument): Promise<Found> {
  try {
    return { ...(await session.api.call('run.start', { lab })), started: true };
  } catch (error) {
    if (!(error instanceof RinglabError) || error.code !== 'run_wrong_state') throw error;
    const { run: runId } = error.params;
    if (typeof runId !== 'string') throw error;
    const run = await session.api.call('run.get', { runId });
    const by =
      session.owner === undefined
        ? speak('cli.run.left')
        : speak('cli.run.followed', { pid: session.owner.pid });
    say(speak('cli.run.already', { name: run.name, run: runId, state: inSentence(run.state), by }));
    if (!sameExperiment(lab, run.lab)) say(speak('cli.run.changed'));
    // A run without a live owner is taken over; one of another command or window is only watched.
    const started = session.owner === undefined;
    say(started ? speak('cli.run.continuing') : speak('cli.run.following', { run: runId }));
    return { runId, started };
  }
}

/** Ignores synchronisation, where a run has the resolved value of `auto`. */
const sameExperiment = (a: LabDocument, b: LabDocument): boolean => {
  const comparable = ({ nodes, links, experiment }: LabDocument): string =>
    JSON.stringify({ nodes, links, experiment: { ...experiment, sync: '' } });
  return comparable(a) === comparable(b);
};

export async function resumeRun(word: string, options: RunOptions): Promise<number> {
  return await toItsEnd(options, options.out ?? 'ringlab-out', async (session, again) => {
    const fits = ({ state }: Pick<RunRecord, 'state'>): boolean => canResume(state) || state === 'queued';
    // The previous app may have ended while it prepared the run: the nodes are asked whether it trains.
    if (again) await session.api.call('run.list', { asked: true });
    const found = await findRun(session, word, fits);
    session.concerns(found.labId);
    // The previous app ended before it could answer: the run is already active.
    if (again && isUnderWay(found.state)) return { runId: found.id, started: true };
    return { ...(await session.api.call('run.resume', { runId: found.id })), started: true };
  });
}

/** Exports nothing unless `--out` is given. */
export async function followCommand(word: string, options: RunOptions): Promise<number> {
  return await toItsEnd(options, options.out, async (session) => {
    const found = await findRun(session, word, ({ state }) => isUnderWay(state) || state === 'queued');
    const { id, name, state } = found;
    if (isEnded(state)) say(speak('cli.stop.ended', { name, run: id, state: inSentence(state) }));
    return { runId: id, started: false };
  });
}

async function toItsEnd(
  options: RunOptions,
  place: string | undefined,
  /** Called again where the app ended before it answered. */
  begin: (session: Session, again: boolean) => Promise<Found>,
): Promise<number> {
  const out = place === undefined && !options.chart ? undefined : resolve(place ?? '.');
  if (out !== undefined) await makeFolder(out);
  let found: Found | undefined;
  let state: RunState | undefined;
  let interrupts: Interrupts | undefined;
  return await withSession(options, async (session, again) => {
    const { api } = session;
    found ??= await begin(session, again);
    const { runId, started } = found;
    if (again) await takeUp(session, found, state);
    const stopTurns = started ? leaveQueueInTurn(session, runId) : undefined;
    let run: RunRecord;
    try {
      interrupts ??= watchInterrupts();
      const onInterrupt: OnInterrupt = started ? 'stop' : 'leave';
      run = await followRun(session, runId, interrupts, onInterrupt, (now) => (state = now.state));
    } catch (error) {
      if (!(error instanceof LeftRun)) throw error;
      print(await describeRun(api, await api.call('run.get', { runId })));
      return 1;
    } finally {
      stopTurns?.();
    }
    const goal = place === undefined ? undefined : out;
    if (goal !== undefined) await keepOutOfCode(run.lab, goal);
    const { files, taken, isCut } =
      goal === undefined ? { isCut: false } : await takeFiles(api, run, goal, interrupts);
    const chart = options.chart && out !== undefined ? await saveChart(api, run, out, files) : undefined;
    sayError(run);
    print({ ...(await describeRun(api, run, taken, files)), ...(chart === undefined ? {} : { chart }) });
    return run.state === 'finished' && !isCut ? 0 : 1;
  }).finally(() => interrupts?.end());
}

interface TakenFiles {
  /** An own script's. */
  readonly files?: readonly string[];
  readonly taken?: ReadonlyMap<ExportedFile, string>;
  readonly isCut: boolean;
}

/** Copies an ended run's files into `out`; an interrupt ends that, and the rest stays where it is. */
export async function takeFiles(
  api: Pick<LabApi, 'call'>,
  run: RunRecord,
  out: string,
  interrupts: Pick<Interrupts, 'listen'>,
): Promise<TakenFiles> {
  const cut = new AbortController();
  const { signal } = cut;
  const unlisten = interrupts.listen(() => {
    say(`\n${speak('cli.follow.fetchesNoMore', { run: run.id })}`);
    cut.abort();
  });
  try {
    if (run.lab.experiment.script === undefined)
      return { taken: await takeHome(api, run.id, out, { signal }), isCut: signal.aborted };
    return { files: await takeScriptHome(api, run.id, out, signal), isCut: signal.aborted };
  } finally {
    unlisten();
  }
}

/** The app that prepared this command's run ended before anything was started: prepares it here. */
async function takeUp(session: Session, found: Found, before: RunState | undefined): Promise<void> {
  if (!found.started || (before !== 'draft' && before !== 'preparing')) return;
  const { runId } = found;
  // Asks the nodes for the run's current state.
  await session.api.call('run.list', { asked: true });
  const run = await session.api.call('run.get', { runId });
  if (run.state === 'interrupted') await session.api.call('run.resume', { runId });
}
