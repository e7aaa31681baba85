/** Says where the ranks of an own script wait for each other: of a run that is followed, once for each wait. */
import type { AnyEvent, LabApi } from '../../../shared/contract/api.ts';
import type { Language } from '../../../shared/base/language.ts';
import {
  collectivesKind,
  ranksDone,
  scriptRanks,
  waitOf,
  type CollectiveWait,
  type RankCollectives,
} from '../../../shared/run/collective-wait.ts';
import { describePlace, describeWait } from '../../../shared/run/collective-words.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';

/** How often it is looked: waits are seconds to minutes old before they are said. */
const everyMs = 5000;

/** The sentence, and a line for each rank. `now`: Unix seconds, of an ended run its end. */
export const waitLines = (wait: CollectiveWait, now: number, language: Language): string[] => [
  describeWait(wait, now, language),
  // Of an end the sentence says all.
  ...(wait.kind === 'ending' ? [] : [...wait.missing, ...wait.waiting])
    .sort((a, b) => a.rank - b.rank)
    .map((place) => `  rank ${place.rank}  ${describePlace(place, language)}`),
];

export interface ScriptWaits {
  readonly onEvent: (event: AnyEvent) => void;
  end(): void;
}

/** @param first the run as it is now */
export function sayScriptWaits(
  api: Pick<LabApi, 'call'>,
  first: RunRecord,
  language: Language,
  write: (text: string) => void,
): ScriptWaits {
  const runId = first.id;
  let run = first;
  let records: readonly RankCollectives[] = [];
  /** Whether ranks have said something that was not read yet. */
  let isNew = true;
  let isLooking = false;
  let said = '';
  const look = async (): Promise<void> => {
    if (isLooking || isEnded(run.state)) return;
    isLooking = true;
    try {
      if (isNew) {
        isNew = false;
        ({ collectives: records } = await api.call('run.outputs', { runId }));
      }
      const now = Date.now() / 1000;
      const wait = waitOf(records, scriptRanks(run), now, ranksDone(run));
      const key =
        wait === undefined
          ? ''
          : JSON.stringify([wait.kind, wait.number, wait.missing.map(({ rank }) => rank)]);
      if (wait !== undefined && key !== said) write(`${waitLines(wait, now, language).join('\n')}\n`);
      said = key;
    } catch {
      // The command itself says when its app is gone.
      isNew = true;
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return {
    onEvent(event) {
      if (event.name === 'run.changed' && event.data.run.id === runId) run = event.data.run;
      if (event.name !== 'run.points' || event.data.runId !== runId) return;
      if (event.data.truncated || event.data.points.some(({ line }) => line.kind === collectivesKind))
        isNew = true;
    },
    end: () => clearInterval(timer),
  };
}
