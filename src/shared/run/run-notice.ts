/** The text of a desktop notification when a run ends or a node is lost, shared by the desktop host and the browser. */
import type { Language } from '../base/language.ts';
import { say } from '../i18n/say.ts';
import type { RunRecord, RunState } from './run.ts';

const notified = ['finished', 'failed', 'interrupted', 'lost', 'stopped', 'waiting'] as const;
const isNotified = (state: RunState): state is (typeof notified)[number] =>
  (notified as readonly RunState[]).includes(state);

/**
 * Undefined for a state that needs no notification. The names of lost nodes are added by the caller with the whole
 * record.
 */
export function runNotice(
  { state, unreachable = {}, ranks = [] }: Pick<RunRecord, 'state'> & Partial<RunRecord>,
  language: Language,
): string | undefined {
  if (!isNotified(state)) return undefined;
  const lost = new Set(
    ranks.filter(({ nodeId }) => Object.hasOwn(unreachable, nodeId)).map(({ nodeName }) => nodeName),
  );
  return state === 'waiting' && lost.size > 0
    ? say(language, 'runNotices.unreachable', { nodes: [...lost] })
    : say(language, `runNotices.${state}`);
}
