/** The scalars of own scripts' runs as numbers: asked when a run starts or ends, and every few seconds while one runs. */
import { useEffect, useMemo, useState } from 'react';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isEnded } from '../../../shared/run/run.ts';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { poll, useApi } from '../../api/index.ts';
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
    const ask = async (lines: readonly string[]): Promise<void> => {
      const runIds = lines.map((line) => line.split(' ')[0] ?? '');
      const split = wanted.split('\n').filter((name) => name !== '');
      for (let from = 0; from < runIds.length; from += maxRuns) {
        const part = runIds.slice(from, from + maxRuns);
        const found = await api.call('run.scalarValues', { runIds: part, names: split }, stop.signal);
        setValues((known) => new Map([...known, ...found.map((one) => [one.runId, one] as const)]));
      }
    };
    const start = (lines: readonly string[]): Promise<void> =>
      ask(lines).catch((error: unknown) => {
        if (!stop.signal.aborted) report(asRinglabError(error));
      });
    const all = asked.split('\n').filter((line) => line !== '');
    const live = all.filter((line) => line.endsWith(' live'));
    const stopPolling = poll(
      (isFirst) => start(isFirst ? all : live),
      live.length === 0 ? undefined : secondsBetween * 1000,
    );
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
