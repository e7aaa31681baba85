/** The scalars of own scripts' runs as numbers: asked when a run starts or ends, and every few seconds while one runs. */
import { useEffect, useMemo, useState } from 'react';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isEnded } from '../../../shared/run/run.ts';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { pollEach, useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';
import type { ValuesOfRuns } from './scalar-columns.ts';

/** The maximum number of runs in a request. */
const maxRuns = 256;
const secondsBetween = 5;
const none: ValuesOfRuns = new Map<string, RunScalarValues>();

/** @param names whose values are wanted; the names that runs have are known in any case */
export function useScalarValues(runs: readonly RunSummary[], names: readonly string[]): ValuesOfRuns {
  const api = useApi();
  const [values, setValues] = useState(none);
  const asked = runs
    .filter((run) => run.experiment.script !== undefined)
    .map((run) => `${run.id} ${run.attempt} ${isEnded(run.state) ? 'ended' : 'live'}`)
    .join('\n');
  const wanted = names.join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const split = wanted.split('\n').filter((name) => name !== '');
    const all = asked.split('\n').filter((line) => line !== '');
    const stopPolling = pollEach({
      all,
      live: all.filter((line) => line.endsWith(' live')),
      everyMs: secondsBetween * 1000,
      ask: async (lines, answered) => {
        for (let from = 0; from < lines.length; from += maxRuns) {
          const part = lines.slice(from, from + maxRuns);
          const runIds = part.map((line) => line.split(' ')[0] ?? '');
          const found = await api.call('run.scalarValues', { runIds, names: split }, stop.signal);
          setValues((known) => new Map([...known, ...found.map((one) => [one.runId, one] as const)]));
          part.forEach(answered);
        }
      },
      onError: (error) => report(asRinglabError(error)),
    });
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, asked, wanted]);
  // Values of runs that are no longer listed are kept for when they are again.
  return useMemo(() => {
    const listed = new Set(asked.split('\n').map((line) => line.split(' ')[0]));
    return new Map([...values].filter(([runId]) => listed.has(runId)));
  }, [values, asked]);
}
