/** How many steps the epochs of several runs have, to draw them along one axis: asked again while runs go on. */
import { useEffect, useRef, useState } from 'react';
import { pollEach, useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';
import type { EpochSteps } from '../scale/epoch-steps.ts';
import { epochLinesOf, readEpochLines, type EpochRun } from './epoch-lines.ts';
import { epochsOfLines } from './epochs-of-lines.ts';

export type RunEpochs = ReadonlyMap<string, EpochSteps>;

const secondsBetween = 5;
const none: RunEpochs = new Map<string, EpochSteps>();

/**
 * Without runs that no rank has started yet, and without own scripts, whose lines do not say it.
 * @param runs of the native trainer
 * @param live runs that have not ended
 */
export function useRunEpochs(runs: readonly EpochRun[], live: readonly string[]): RunEpochs {
  const api = useApi();
  const [found, setFound] = useState(none);
  const asks = runs.map(epochLinesOf);
  const latest = useRef(asks);
  latest.current = asks;
  // Records change with every step, what is asked for seldom.
  const asked = JSON.stringify(asks);
  const going = live.join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const all = latest.current;
    const ids = new Set(going.split('\n'));
    const stopPolling = pollEach({
      all,
      live: all.filter(({ runId }) => ids.has(runId)),
      everyMs: secondsBetween * 1000,
      ask: async (some, answered) => {
        const answers = await Promise.allSettled(some.map((one) => readEpochLines(api, one, stop.signal)));
        const read = new Map<string, EpochSteps>();
        for (const [index, one] of some.entries()) {
          const answer = answers[index];
          if (answer?.status !== 'fulfilled') continue;
          const epochs = epochsOfLines([...answer.value.starts, ...answer.value.others]);
          if (epochs !== undefined) read.set(one.runId, epochs);
          answered(one);
        }
        if (read.size > 0) setFound((known) => new Map([...known, ...read]));
        const failed = answers.find((answer) => answer.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      },
      onError: (error) => report(asRinglabError(error)),
    });
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, asked, going]);
  return found;
}
