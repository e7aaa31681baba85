/** `ringlab runs [RUN]`: lists the stored runs, with the nodes' current state of active ones. */
import type { LabApi, RunSummary } from '../../../../shared/contract/api.ts';
import {
  isOfTheScript,
  ranksDone,
  scriptRanks,
  waitOf,
  type CollectiveWait,
} from '../../../../shared/run/collective-wait.ts';
import { describeLine, describeParts, type RankProfile } from '../../../../shared/run/rank-profile.ts';
import type { RunOutputs } from '../../../../shared/run/run-outputs.ts';
import { formatPercent } from '../../../../shared/i18n/quantity.ts';
import { isEnded, shownState, type RunRecord } from '../../../../shared/run/run.ts';
import { heldText } from '../../../../shared/run/held-text.ts';
import { findRun } from '../find-run.ts';
import { sayRunProblems } from '../run-problems.ts';
import { describeRun, sayError } from '../run-result.ts';
import { waitLines } from '../script-waits.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { language, speak } from '../speak.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** As in the ids of runs, whose lists may be from machines in several zones. */
const time = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** How certain a run's state is. */
interface Knowledge {
  /** False where a node with a rank is unreachable. */
  readonly stateKnown: boolean;
  /** Unix seconds of its ranks' newest line. */
  readonly lastSeen: number | null;
  readonly unknownNodes: readonly string[];
}

async function knowledgeOf(api: LabApi, run: Pick<RunRecord, 'id' | 'unreachable'>): Promise<Knowledge> {
  const hidden = Object.keys(run.unreachable);
  if (hidden.length === 0) return { stateKnown: true, lastSeen: null, unknownNodes: [] };
  const { lab } = await api.call('run.get', { runId: run.id });
  const kinds = ['start', 'step', 'epoch', 'eval', 'sample'];
  const [newest] = await api.call('metrics.lines', { runId: run.id, kinds, limit: 1 });
  return {
    stateKnown: false,
    lastSeen: newest?.line.t ?? null,
    unknownNodes: hidden.map((id) => lab.nodes.find((node) => node.id === id)?.name ?? id),
  };
}

const doubt = ({ stateKnown, lastSeen, unknownNodes }: Knowledge): string =>
  stateKnown
    ? ''
    : `  ${speak('cli.runs.doubt', { when: lastSeen === null ? speak('cli.runs.never') : time(lastSeen), nodes: unknownNodes })}`;

/** Why a queued run does not start by itself. @param runs where the run may be that it is held by */
function held(run: RunSummary, runs: readonly Pick<RunRecord, 'id' | 'state'>[]): string {
  if (shownState(run) !== 'held') return '';
  const holder = runs.find(({ id }) => id === run.heldBy);
  return `  (${heldText(holder && { name: holder.id, state: holder.state }, language)})`;
}

function row(run: RunSummary, knowledge: Knowledge, runs: readonly RunSummary[]): string {
  const { script } = run.experiment;
  const top1 = typeof run.bestTop1 === 'number' ? `${run.bestTop1.toFixed(2)} %` : '–';
  const epochs = { done: run.epochsCompleted, epochs: run.epochs };
  // The lab's epochs are not a script's.
  const progress = script === undefined ? `${speak('cli.runs.epochs', epochs)}  top-1 ${top1}` : script.file;
  return `${run.id}  ${time(run.createdAt)}  ${run.state.padEnd(11)}  ${progress}  ${run.name}${held(run, runs)}${doubt(knowledge)}`;
}

/** Without `--json` a table; with it one JSON array. */
export async function listRuns(options: SessionOptions, json: boolean): Promise<number> {
  return await withSession(options, async ({ api }) => {
    const runs = await api.call('run.list', { asked: true });
    const unreadable = await sayRunProblems(api);
    const known = await Promise.all(runs.map((run) => knowledgeOf(api, run)));
    const all = runs.flatMap((run, index) => {
      const knowledge = known[index];
      return knowledge === undefined ? [] : [{ run, knowledge }];
    });
    if (json) print(JSON.stringify(all.map(({ run, knowledge }) => ({ ...run, ...knowledge }))));
    else if (all.length === 0 && unreadable === 0) print(speak('cli.runs.none'));
    else for (const { run, knowledge } of all) print(row(run, knowledge, runs));
    return 0;
  });
}

/** Where ranks of a script wait for each other. `now`: Unix seconds, of an ended run its end. */
function waitFound(
  run: RunRecord,
  { collectives }: RunOutputs,
): { wait: CollectiveWait; now: number } | undefined {
  const now = isEnded(run.state) && run.endedAt !== undefined ? run.endedAt : Date.now() / 1000;
  const wait = waitOf(collectives, scriptRanks(run), now, ranksDone(run));
  if (wait === undefined || (run.state === 'finished' && !isOfTheScript(wait))) return undefined;
  return { wait, now };
}

/** What a rank's time goes into, and the lines of the script that take the most. */
const profileLines = (profile: RankProfile): string[] => [
  `rank ${profile.rank}  ${describeParts(profile, language)}`,
  ...profile.places
    .filter(({ share }) => share >= 0.05)
    .map((place) => `  ${formatPercent(100 * place.share, language)}  ${describeLine(place)}`),
];

/** A few lines of text, unless `--json`, and one JSON object. */
export async function showRun(word: string, options: SessionOptions, json: boolean): Promise<number> {
  return await withSession(options, async (session) => {
    const { api } = session;
    const runs = await api.call('run.list', { asked: true });
    const summary = await findRun(session, word);
    const run = await api.call('run.get', { runId: summary.id });
    const knowledge = await knowledgeOf(api, run);
    const outputs =
      run.lab.experiment.script === undefined ? undefined : await api.call('run.outputs', { runId: run.id });
    const found = outputs === undefined ? undefined : waitFound(run, outputs);
    const profiles = outputs?.profiles ?? [];
    if (!json) {
      print(row(summary, knowledge, runs));
      for (const { rank, nodeName, state, directory, process } of run.ranks)
        print(
          `  rank ${rank}  ${nodeName}  ${state}${process?.pid === undefined ? '' : `  ${speak('cli.runs.process', { pid: process.pid })}`}  ${directory}`,
        );
      sayError(run);
      if (found !== undefined)
        for (const line of waitLines(found.wait, found.now, language)) print(`  ${line}`);
      for (const profile of profiles) for (const line of profileLines(profile)) print(`  ${line}`);
    }
    const { id, name, labId, attempt, createdAt, startedAt, endedAt, notes, tags, heldBy } = run;
    const more = { name, labId, attempt, createdAt, startedAt: startedAt ?? null, endedAt: endedAt ?? null };
    print(
      JSON.stringify({
        ...(await describeRun(api, run)),
        ...more,
        notes,
        tags: tags ?? [],
        ...(heldBy === undefined ? {} : { heldBy }),
        ...knowledge,
        ...(found === undefined ? {} : { wait: found.wait }),
        ...(profiles.length === 0 ? {} : { profiles }),
        id,
      }),
    );
    return 0;
  });
}
