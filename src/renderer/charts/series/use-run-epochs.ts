/** How many steps the epochs of several runs have, to draw them along one axis: asked again while runs go on. */
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/index.ts';
import type { EpochSteps } from '../scale/epoch-steps.ts';
import { epochLinesOf, readEpochLines, type EpochRun } from './epoch-lines.ts';
import { epochsOfLines } from './epochs-of-lines.ts';
import { pollRuns } from './poll-runs.ts';

export type RunEpochs = ReadonlyMap<string, EpochSteps>;

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
  useEffect(
    () =>
      pollRuns({
        all: latest.current,
        live: going.split('\n'),
        read: async (one, signal) => {
          const { starts, others } = await readEpochLines(api, one, signal);
          return epochsOfLines([...starts, ...others]);
        },
        onRead: (read) => setFound((known) => new Map([...known, ...read])),
      }),
    [api, asked, going],
  );
  return found;
}
