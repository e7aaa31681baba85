/** Which series several runs have; asked again while runs go on, since a script's scalars appear as it writes them. */
import { useEffect, useState } from 'react';
import { pollEach, useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';
import type { Catalogue, Catalogues } from './compared-scalars.ts';

const secondsBetween = 5;
const listOf = (lines: string): string[] => lines.split('\n').filter((line) => line !== '');
const none: Catalogues = new Map<string, Catalogue>();

/** @param live runs that have not ended */
export function useCatalogues(runIds: readonly string[], live: readonly string[]): Catalogues {
  const api = useApi();
  const [found, setFound] = useState(none);
  const all = runIds.join('\n');
  const going = live.join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const stopPolling = pollEach({
      all: listOf(all),
      live: listOf(going),
      everyMs: secondsBetween * 1000,
      ask: async (ids, answered) => {
        const answers = await Promise.allSettled(
          ids.map((runId) => api.call('metrics.catalogue', { runId }, stop.signal)),
        );
        const read = new Map<string, Catalogue>();
        for (const [index, runId] of ids.entries()) {
          const answer = answers[index];
          if (answer?.status !== 'fulfilled') continue;
          read.set(runId, answer.value);
          answered(runId);
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
  }, [api, all, going]);
  return found;
}
