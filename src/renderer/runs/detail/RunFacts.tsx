/** A run's progress: epochs, steps, time left, the best result, and its rendezvous address. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { attemptsOf } from '../../../shared/run/recovery.ts';
import { isEnded, isUnderWay, type RunRecord } from '../../../shared/run/run.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { AccuracyCost, formatCount, formatDuration, formatPercent } from '../../ui/index.ts';
import type { RunOutputs } from '../../../shared/run/run-outputs.ts';
import { useStarts } from '../../charts/index.ts';
import { useLanguage } from '../../state/index.ts';
import { runLook } from '../../theme/index.ts';
import { noteProgress, secondsRemaining, type Seen } from './remaining.ts';
import { useScriptFacts } from './use-script-facts.ts';
import { useStepCost } from './step-cost.ts';
import classes from './RunFacts.module.css';
import { useNow } from '../../state/index.ts';

export interface RunFactsProps {
  readonly run: RunRecord;
  readonly outputs: RunOutputs | undefined;
}

export function RunFacts({ run, outputs }: RunFactsProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const ended = isEnded(run.state);
  const now = useNow(isUnderWay(run.state));
  const { epochs } = useStarts(run);
  const total = epochs === undefined ? undefined : Math.round(epochs.stepAt(run.epochs));
  const remaining = useRemaining(run, total);
  const cost = useStepCost(run);
  const took = tookOf(run, now) ?? (run.endedAt ?? now) - run.createdAt;
  const script = useScriptFacts(run, outputs, now);
  const isScript = run.lab.experiment.script !== undefined;
  const ownProgress = [
    t('runs.header.epoch', { done: run.epochsCompleted, total: run.epochs }),
    ...(run.step === 0
      ? []
      : [
          total === undefined
            ? t('runs.header.step', { step: formatCount(run.step, language) })
            : t('runs.header.stepOf', {
                step: formatCount(run.step, language),
                total: formatCount(total, language),
              }),
        ]),
    ...(run.state === 'running'
      ? [
          remaining === undefined
            ? t('runs.header.remainingUnknown')
            : t('runs.header.remaining', { time: formatDuration(Math.round(remaining), language) }),
        ]
      : []),
  ];
  const attempts = attemptsOf(run);
  const facts = [
    ...(isScript ? script.facts : ownProgress),
    ...(took < 1
      ? []
      : [
          t(ended ? 'runs.header.took' : 'runs.header.running', {
            time: formatDuration(ended ? took : Math.floor(took), language),
          }),
        ]),
    ...(isScript ? [] : cost),
    ...(attempts > 1 ? [t('runs.header.attempt', { count: attempts })] : []),
    ...(typeof run.bestTop1 === 'number' && !isScript
      ? [t('runs.header.best', { value: formatPercent(run.bestTop1, language) })]
      : []),
    // A scheduler decides it: its host is a variable (main/base/allocated.ts).
    ...(run.master === undefined || run.master.host.startsWith('$')
      ? []
      : [t('runs.header.master', { address: `${run.master.host}:${run.master.port}` })]),
  ];
  const share = isScript
    ? script.share
    : total === undefined || run.step === 0
      ? run.epochsCompleted / run.epochs
      : Math.max(run.step / total, run.epochsCompleted / run.epochs);
  return (
    <div className={classes.factsBox}>
      <ul className={classes.facts} aria-label={t('runs.header.label', { name: run.name })}>
        {facts.map((fact) => (
          <li key={fact} title={fact}>
            {fact}
          </li>
        ))}
        {run.estimate?.reason === 'faster' && (
          <li>
            <AccuracyCost sync={run.estimate.sync} />
          </li>
        )}
        {run.badLines > 0 && (
          <li className={classes.warn} title={t('runs.header.badLinesHint')}>
            {t('runs.header.badLines', { count: run.badLines })}
          </li>
        )}
      </ul>
      <div
        className={classes.progress}
        role="progressbar"
        aria-label={t('runs.header.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * Math.min(1, share))}
      >
        <div style={{ width: `${100 * Math.min(1, share)}%`, background: runLook[run.state].colour }} />
      </div>
    </div>
  );
}

function useRemaining(run: RunRecord, total: number | undefined): number | undefined {
  const [seen, setSeen] = useState<Seen>();
  const { id, step, state } = run;
  useEffect(() => setSeen(undefined), [id, state]);
  useEffect(() => {
    if (state === 'running') setSeen((before) => noteProgress(before, { t: Date.now() / 1000, step }));
  }, [id, step, state]);
  return state === 'running' ? secondsRemaining(seen, total) : undefined;
}
