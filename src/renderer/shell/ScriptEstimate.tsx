/** The time of an own script's step, as its last run measured it, and what has changed since. */
import { useTranslation } from 'react-i18next';
import type { MeasuredScript, ScriptChange } from '../../shared/run/script-time.ts';
import { useLanguage } from '../state/index.ts';
import { formatDuration } from '../ui/index.ts';
import { EstimateDetails, EstimateRows } from './EstimateDetails.tsx';
import classes from './EstimateLine.module.css';

interface ScriptEstimateProps {
  readonly measured: MeasuredScript;
  readonly changes: readonly ScriptChange[];
}

export function ScriptEstimate({ measured, changes }: ScriptEstimateProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { secondsPerStep, secondsPerEpoch, seconds } = measured;
  const times = { step: secondsPerStep, epoch: secondsPerEpoch, whole: seconds } as const;
  const known = (['step', 'epoch', 'whole'] as const).flatMap((of) => {
    const time = times[of];
    return time === undefined ? [] : [{ of, time: formatDuration(time, language) }];
  });
  const [first] = known;
  if (first === undefined) return null;
  return (
    <div className={classes.line} role="group" aria-label={t('shell.estimate.script.label')}>
      <EstimateDetails text={t(`shell.estimate.script.headline.${first.of}`, { time: first.time })}>
        <EstimateRows rows={known.map(({ of, time }) => [t(`shell.estimate.script.row.${of}`), time])} />
        <ul className={classes.notes}>
          <li>{t('shell.estimate.script.measured', { run: measured.runName })}</li>
          {changes.map((change) => (
            <li key={change}>{t(`shell.estimate.script.changed.${change}`)}</li>
          ))}
        </ul>
      </EstimateDetails>
    </div>
  );
}
