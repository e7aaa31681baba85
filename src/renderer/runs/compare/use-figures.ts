/** The results of runs, as main computes them: requested when a run starts or ends, and every few seconds during a run. */
import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../shared/contract/api.ts';
import type { RunFigures } from '../../../shared/run/run-figures.ts';
import { isEnded } from '../../../shared/run/run.ts';
import { pollEach, useApi } from '../../api/index.ts';
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
    const all = states.split('\n').filter(Boolean);
    const stopPolling = pollEach({
      all,
      live: all.filter((line) => line.endsWith(' live')),
      everyMs: secondsBetweenFigures * 1000,
      ask: async (lines, answered) => {
        const asked = lines.slice(0, maxFigures);
        const runIds = asked.map((line) => line.split(' ')[0] ?? '');
        const found = await api.call('run.figures', { runIds }, stop.signal);
        setFigures((known) => new Map([...known, ...found.map((one) => [one.runId, one] as const)]));
        asked.forEach(answered);
      },
      onError: (error) => report(asRinglabError(error)),
    });
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, states]);
  return figures;
}
