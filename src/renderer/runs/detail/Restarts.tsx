/** The timeline of a run that lost ranks: who was there when; where it restarted by itself also what failed, where it went on, and what was done again. */
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { absencesOf } from '../../../shared/run/membership.ts';
import { workLost } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useLanguage } from '../../state/index.ts';
import { formatDuration } from '../../ui/index.ts';
import { NodeTimeline } from './NodeTimeline.tsx';
import classes from './RunTrouble.module.css';

export function Restarts({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const restarts = run.recovery?.restarts ?? [];
  if (restarts.length + absencesOf(run).length === 0) return null;
  const duration = (seconds: number): string => formatDuration(Math.round(seconds), language);
  const { steps, seconds } = workLost(run.recovery);
  // Where a script that says no steps goes on is not known: nothing is claimed of it.
  const isScript = run.lab.experiment.script !== undefined;
  const isKnown = !isScript || restarts.every(({ resumed }) => resumed !== undefined);
  const open = (index: number): string => {
    if (isScript && (index > 0 || run.state !== 'recovering')) return t('runs.restarts.byScript');
    return t(index === 0 ? 'runs.restarts.pending' : 'runs.restarts.again');
  };
  return (
    <details className={`${classes.trouble} ${classes.lastWords}`}>
      <summary>
        {restarts.length === 0
          ? t('runs.bars.label')
          : steps === 0
            ? t(isKnown ? 'runs.restarts.lostNothing' : 'runs.restarts.count', { count: restarts.length })
            : t('runs.restarts.summary', { count: restarts.length, steps, time: duration(seconds) })}
      </summary>
      <NodeTimeline run={run} />
      {restarts.length > 0 && (
        <ol className={classes.problems} aria-label={t('runs.restarts.list')}>
          {restarts.toReversed().map(({ attempt, t: at, error, step, resumed }, index) => (
            <li key={`${attempt} ${at}`}>
              {[
                new Date(at * 1000).toLocaleTimeString(language),
                t('runs.restarts.failed', { attempt, step }),
                describeError(error, language).message,
                resumed === undefined
                  ? open(index)
                  : t('runs.restarts.resumed', {
                      step: resumed.step,
                      after: duration(Math.max(0, resumed.t - at)),
                      lost: duration(resumed.lostSeconds),
                      count: resumed.lostSteps,
                    }),
              ].join(' · ')}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
