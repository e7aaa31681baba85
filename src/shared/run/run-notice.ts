/**
 * The text of a desktop notification when a run ends, loses a node or goes on without anybody's help, shared by the
 * desktop host and the browser.
 */
import type { Language } from '../base/language.ts';
import { say } from '../i18n/say.ts';
import { isUnderWay, type RunRecord, type RunState } from './run.ts';

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
}
export const noticedOf = ({ state, recovery }: Known): Noticed => {
  const restarts = recovery?.restarts ?? [];
  const resumptions = restarts.filter(({ resumed }) => resumed !== undefined).length;
  return { state, failures: restarts.length, resumptions };
};

/**
 * Undefined where no notification is due.
 * @param before as the run was noticed last
 */
export function runNotice(run: Known, before: Noticed, language: Language): string | undefined {
  const now = noticedOf(run);
  const last = run.recovery?.restarts.at(-1);
  if (last?.resumed !== undefined && now.resumptions > before.resumptions)
    return say(language, 'runNotices.resumed', {
      step: last.resumed.step,
      seconds: Math.round(last.resumed.lostSeconds),
    });
  const restarts = run.state === 'recovering' || (last?.by === 'node' && isUnderWay(run.state));
  if (last !== undefined && restarts && now.failures > before.failures)
    return last.error.where === undefined
      ? say(language, 'runNotices.restarts', { step: last.from })
      : say(language, 'runNotices.recovering', { node: last.error.where, step: last.from });
  const { state, unreachable = {}, ranks = [] } = run;
  if (state === before.state || !isNotified(state)) return undefined;
  const lost = new Set(
    ranks.filter(({ nodeId }) => Object.hasOwn(unreachable, nodeId)).map(({ nodeName }) => nodeName),
  );
  return state === 'waiting' && lost.size > 0
    ? say(language, 'runNotices.unreachable', { nodes: [...lost] })
    : say(language, `runNotices.${state}`);
}
