/** Which series several runs have; asked again while runs go on, since a script's scalars appear as it writes them. */
import { useEffect, useState } from 'react';
import { useApi } from '../../api/index.ts';
import type { Catalogue, Catalogues } from './compared-scalars.ts';
import { pollRuns } from './poll-runs.ts';

const listOf = (lines: string): string[] => lines.split('\n').filter((line) => line !== '');
const none: Catalogues = new Map<string, Catalogue>();

/** @param live runs that have not ended */
export function useCatalogues(runIds: readonly string[], live: readonly string[]): Catalogues {
  const api = useApi();
  const [found, setFound] = useState(none);
  const all = runIds.join('\n');
  const going = live.join('\n');
  useEffect(
    () =>
      pollRuns({
        all: listOf(all).map((runId) => ({ runId })),
        live: listOf(going),
        read: ({ runId }, signal) => api.call('metrics.catalogue', { runId }, signal),
        onRead: (read) => setFound((known) => new Map([...known, ...read])),
      }),
    [api, all, going],
  );
  return found;
}
