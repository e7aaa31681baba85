/** Which series several runs have; asked again while runs go on, since a script's scalars appear as it writes them. */
import { useEffect, useState } from 'react';
import { poll, useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';
import type { Catalogue, Catalogues } from './compared-scalars.ts';

const secondsBetween = 5;
const none: Catalogues = new Map<string, Catalogue>();

/** @param live runs that have not ended */
export function useCatalogues(runIds: readonly string[], live: readonly string[]): Catalogues {
  const api = useApi();
  const [found, setFound] = useState(none);
  const all = runIds.join('\n');
  const going = live.join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (ids: string): Promise<void> => {
      const asked = ids.split('\n').filter((id) => id !== '');
      const answers = await Promise.all(
        asked.map(
          async (runId) => [runId, await api.call('metrics.catalogue', { runId }, stop.signal)] as const,
        ),
      );
      if (answers.length > 0) setFound((known) => new Map([...known, ...answers]));
    };
    const start = (ids: string): Promise<void> =>
      ask(ids).catch((error: unknown) => {
        if (!stop.signal.aborted) report(asRinglabError(error));
      });
    const stopPolling = poll(
      (isFirst) => start(isFirst ? all : going),
      going === '' ? undefined : secondsBetween * 1000,
    );
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, all, going]);
  return found;
}
