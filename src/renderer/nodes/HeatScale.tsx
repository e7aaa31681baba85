/** The heat map's time axis, since the run's start, and its legend: what the faintest and the fullest cell stand for. */
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../state/index.ts';
import { formatDuration } from '../ui/index.ts';
import classes from './HeatStrip.module.css';

export interface HeatScaleProps {
  /** Unix seconds: the run's start, and the first and the last sample. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
  /** Pixels of the cells beside the names. */
  readonly width: number;
  /** The values of the faintest and of the fullest cell, formatted. */
  readonly min: string;
  readonly max: string;
}

const ticks = [0, 0.5, 1] as const;

export function HeatScale({ start, from, to, width, min, max }: HeatScaleProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <div className={classes.scale}>
      <div className={classes.axis} style={{ width }} aria-label={t('runs.node.heatAxis')} role="group">
        {ticks.map((share) => (
          <span key={share}>{formatDuration(Math.max(0, from + share * (to - from) - start), language)}</span>
        ))}
      </div>
      <div className={classes.legend} role="group" aria-label={t('runs.node.heatLegend', { min, max })}>
        <span>{min}</span>
        <i />
        <span>{max}</span>
      </div>
    </div>
  );
}
