/** The runs in a lab's bin: requested when the bin is shown, and not cached. */
import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';

const none: readonly RunSummary[] = [];

export function useBin(
  labId: string,
  isShown: boolean,
): { readonly runs: readonly RunSummary[]; readonly loading: boolean; readonly reload: () => void } {
  const api = useApi();
  const [runs, setRuns] = useState(none);
  const [loading, setLoading] = useState(false);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (!isShown) return undefined;
    const stop = new AbortController();
    setLoading(true);
    api
      .call('run.list', { labId, bin: true }, stop.signal)
      .then(setRuns, (error: unknown) => {
        if (!stop.signal.aborted) report(asRinglabError(error));
      })
      .finally(() => setLoading(false));
    return () => stop.abort();
  }, [api, labId, isShown, again]);
  return { runs: isShown ? runs : none, loading, reload: () => setAgain((count) => count + 1) };
}
