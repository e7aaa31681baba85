/** A step's measured duration beside the estimate made before the run. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { poll, useApi } from '../../api/index.ts';
import { formatDuration } from '../../ui/index.ts';
import { useModeText } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';

const askEvery = 5000;

/** Facts for the line over a run's tabs: none, one or two. */
export function useStepCost(run: RunRecord): readonly string[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const formatMode = useModeText();
  const measured = useStepSeconds(run);
  const { estimate } = run;
  const duration = (seconds: number): string => formatDuration(seconds, language);
  const expected = estimate === undefined ? undefined : duration(estimate.secondsPerStep);
  const time = measured === undefined ? undefined : duration(measured);
  const cost =
    time === undefined
      ? expected === undefined
        ? []
        : [t('runs.header.expected', { expected })]
      : [
          expected === undefined
            ? t('runs.header.perStep', { time })
            : t('runs.header.perStepExpected', { time, expected }),
        ];
  if (estimate?.reason === undefined) return cost;
  const mode = formatMode(estimate.sync);
  return [
    ...cost,
    estimate.reason === 'faster'
      ? t('runs.header.sync', {
          time: time ?? duration(estimate.secondsPerStep),
          plain: duration(estimate.plainSecondsPerStep),
          mode,
        })
      : t('runs.header.syncPlain', { mode }),
  ];
}

function useStepSeconds(run: RunRecord): number | undefined {
  const api = useApi();
  const [known, setKnown] = useState<{ runId: string; seconds: number | undefined }>();
  const runId = run.id;
  const ended = isEnded(run.state);
  const begun = run.step > 0;
  useEffect(() => {
    if (!begun) return undefined;
    const stop = new AbortController();
    const ask = (): Promise<void> =>
      api.call('run.figures', { runIds: [runId] }, stop.signal).then(
        ([figures]) => setKnown({ runId, seconds: figures?.secondsPerStep }),
        () => undefined, // The charts report that the run's data is missing.
      );
    const stopPolling = poll(ask, ended ? undefined : askEvery);
    return () => {
      stop.abort();
      stopPolling();
    };
  }, [api, runId, begun, ended]);
  return known?.runId === runId ? known.seconds : undefined;
}
