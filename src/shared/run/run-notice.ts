/**
 * The text of a desktop notification when a run ends, loses a node or goes on without anybody's help, shared by the
 * desktop host and the browser.
 */
import type { Language } from '../base/language.ts';
import { say } from '../i18n/say.ts';
import type { Membership } from './membership.ts';
import { isUnderWay, type RankRecord, type RunRecord, type RunState } from './run.ts';

const notified = ['finished', 'failed', 'interrupted', 'lost', 'stopped', 'waiting'] as const;
const isNotified = (state: RunState): state is (typeof notified)[number] =>
  (notified as readonly RunState[]).includes(state);

/** A run, of which everything but the state may be unknown. */
type Known = Pick<RunRecord, 'state'> & Partial<RunRecord>;

/** What decides whether a notification is due: the state, and how often the run failed and went on by itself. */
export interface Noticed {
  readonly state: RunState;
  readonly failures: number;
  readonly resumptions: number;
  /** How often ranks were lost and the others went on. */
  readonly losses: number;
  /** Of a queued run: the run since whose end it is held. */
  readonly heldBy?: string | undefined;
}
export const noticedOf = ({ state, recovery, memberships = [], heldBy }: Known): Noticed => {
  const restarts = recovery?.restarts ?? [];
  const resumptions = restarts.filter(({ resumed }) => resumed !== undefined).length;
  return { state, failures: restarts.length, resumptions, losses: memberships.length, heldBy };
};

/** 'N2 was lost: training goes on with 2 of 3 ranks.' */
export function fewerText(
  { ranks, lost }: Pick<Membership, 'ranks' | 'lost'>,
  all: readonly Pick<RankRecord, 'rank' | 'nodeName'>[],
  language: Language,
): string {
  const nodes = [...new Set(all.filter(({ rank }) => lost.includes(rank)).map(({ nodeName }) => nodeName))];
  const words = nodes.length === 1 ? 'runNotices.fewer' : 'runNotices.fewerBySeveral';
  return say(language, words, { nodes, left: ranks.length, all: all.length });
}

/** Where a run starts again, within a sentence. @param step undefined for an own script, which decides that itself */
export const restartPoint = (step: number | undefined, language: Language): string =>
  step === undefined
    ? say(language, 'runNotices.fromScript')
    : say(language, 'runNotices.fromStep', { step });

/** Of a run that failed and starts again by itself, and of one that has done so. Undefined where neither is new. */
export function restartText(
  run: Known,
  before: Pick<Noticed, 'failures' | 'resumptions'>,
  language: Language,
): string | undefined {
  const now = noticedOf(run);
  const last = run.recovery?.restarts.at(-1);
  if (last?.resumed !== undefined && now.resumptions > before.resumptions)
    return say(language, last.resumed.lostSteps === 0 ? 'runNotices.resumedWhole' : 'runNotices.resumed', {
      step: last.resumed.step,
      seconds: Math.round(last.resumed.lostSeconds),
    });
  const restarts = run.state === 'recovering' || (last?.by === 'node' && isUnderWay(run.state));
  if (last === undefined || !restarts || now.failures <= before.failures) return undefined;
  const from = restartPoint(run.lab?.experiment.script === undefined ? last.from : undefined, language);
  return last.error.where === undefined
    ? say(language, 'runNotices.restarts', { from })
    : say(language, 'runNotices.recovering', { node: last.error.where, from });
}

/** Of the runs that one end holds only the first is notified of. Returns whether this one is held by an end that was not seen yet. */
export function firstHeld(): (run: Pick<RunRecord, 'heldBy'>) => boolean {
  let last: string | undefined;
  return ({ heldBy }) => {
    const isFirst = heldBy !== undefined && heldBy !== last;
    if (isFirst) last = heldBy;
    return isFirst;
  };
}

/**
 * Undefined where no notification is due.
 * @param before as the run was noticed last
 */
export function runNotice(run: Known, before: Noticed, language: Language): string | undefined {
  const restarted = restartText(run, before, language);
  if (restarted !== undefined) return restarted;
  const now = noticedOf(run);
  const { state, unreachable = {}, ranks = [], memberships = [] } = run;
  const fewer = memberships.at(-1);
  if (fewer !== undefined && now.losses > before.losses) return fewerText(fewer, ranks, language);
  if (state === 'queued' && now.heldBy !== undefined && now.heldBy !== before.heldBy)
    return say(language, 'runNotices.held');
  if (state === before.state || !isNotified(state)) return undefined;
  const lost = new Set(
    ranks.filter(({ nodeId }) => Object.hasOwn(unreachable, nodeId)).map(({ nodeName }) => nodeName),
  );
  if (state === 'finished' && fewer !== undefined)
    return say(language, 'runNotices.finishedWithFewer', { left: fewer.ranks.length, all: ranks.length });
  return state === 'waiting' && lost.size > 0
    ? say(language, 'runNotices.unreachable', { nodes: [...lost] })
    : say(language, `runNotices.${state}`);
}
