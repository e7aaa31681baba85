/** The results of runs, as main computes them: requested when a run starts or ends, and every few seconds during a run. */
import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../shared/contract/api.ts';
import type { RunFigures } from '../../../shared/run/run-figures.ts';
import { isEnded } from '../../../shared/run/run.ts';
import { poll, useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';

/** The maximum number of runs in a request. */
const maxFigures = 256;
const secondsBetweenFigures = 5;

export function useFigures(runs: readonly RunSummary[]): ReadonlyMap<string, RunFigures> {
  const api = useApi();
  const [figures, setFigures] = useState<ReadonlyMap<string, RunFigures>>(new Map());
  const states = runs.map((run) => `${run.id} ${isEnded(run.state) ? 'ended' : 'live'}`).join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (keys: readonly string[]): Promise<void> => {
      const runIds = keys.map((line) => line.split(' ')[0] ?? '').slice(0, maxFigures);
      if (runIds.length === 0) return;
      await api.call('run.figures', { runIds }, stop.signal).then(
        (found) =>
          setFigures((known) => new Map([...known, ...found.map((one) => [one.runId, one] as const)])),
        (error: unknown) => {
          if (!stop.signal.aborted) report(asRinglabError(error));
        },
      );
    };
    const all = states.split('\n').filter(Boolean);
    const live = all.filter((line) => line.endsWith(' live'));
    const stopPolling = poll(
      (isFirst) => ask(isFirst ? all : live),
      live.length === 0 ? undefined : secondsBetweenFigures * 1000,
    );
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, states]);
  return figures;
}
