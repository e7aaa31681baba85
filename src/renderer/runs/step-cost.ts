/** What a step of a run takes, measured beside what was expected before it started. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { metricNumber, rankSource, type MetricLine } from '../../shared/metrics.ts';
import { isEnded, type RunRecord } from '../../shared/run.ts';
import { useApi } from '../api/index.ts';
import { formatDuration } from '../charts/index.ts';
import { useSyncWords } from '../inspector/index.ts';
import { useLanguage } from '../state/index.ts';

/** The newest steps; the first ones of a run are no measure: caches are cold. */
const judgedSteps = 64;
const warmSteps = 2;
const askEvery = 5000;

/** The median of a step's seconds, undefined before there are some. */
export function stepSeconds(lines: readonly MetricLine[]): number | undefined {
  const seconds = lines
    .filter((line) => (metricNumber(line.step) ?? 0) >= warmSteps)
    .flatMap((line) => metricNumber(line.step_seconds) ?? [])
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return seconds[Math.floor(seconds.length / 2)];
}

/** Facts for the line over a run's views: none, one or two. */
export function useStepCost(run: RunRecord): readonly string[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const words = useSyncWords();
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
  const mode = words(estimate.sync);
  return [
    ...cost,
    estimate.reason === 'faster'
      ? t('runs.header.sync', { mode, plain: duration(estimate.plainSecondsPerStep) })
      : t('runs.header.syncPlain', { mode }),
  ];
}

function useStepSeconds(run: RunRecord): number | undefined {
  const api = useApi();
  const [known, setKnown] = useState<{ runId: string; seconds: number | undefined }>();
  const runId = run.id;
  const ended = isEnded(run.state);
  const begun = run.step > warmSteps;
  useEffect(() => {
    if (!begun) return undefined;
    const stop = new AbortController();
    const ask = (): void => {
      api
        .call(
          'metrics.lines',
          { runId, kinds: ['step'], source: rankSource(0), limit: judgedSteps },
          stop.signal,
        )
        .then(
          (points) => setKnown({ runId, seconds: stepSeconds(points.map(({ line }) => line)) }),
          () => undefined, // The charts say that the run's data cannot be had.
        );
    };
    ask();
    const timer = ended ? undefined : setInterval(ask, askEvery);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [api, runId, begun, ended]);
  return known?.runId === runId ? known.seconds : undefined;
}
