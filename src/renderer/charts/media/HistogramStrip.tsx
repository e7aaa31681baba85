/** One histogram along the steps: darker where more of the values lie. */
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunHistogram } from '../../../shared/run/run-media.ts';
import { useLanguage } from '../../state/index.ts';
import { formatCount, formatNumber } from '../../ui/index.ts';
import { stripOf } from './media-list.ts';
import classes from './media.module.css';

const maxColumns = 120;
const rows = 30;

export interface HistogramStripProps {
  readonly name: string;
  readonly rank: number;
  readonly histograms: readonly RunHistogram[];
}

export function HistogramStrip({ name, rank, histograms }: HistogramStripProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useMemo(() => stripOf(histograms, maxColumns, rows), [histograms]);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return;
    context.clearRect(0, 0, strip.columns.length, rows);
    context.fillStyle = getComputedStyle(context.canvas).color;
    for (const [x, column] of strip.columns.entries())
      for (const [row, share] of column.entries()) {
        // The root shows tails, which a share of the fullest row would hide.
        context.globalAlpha = Math.sqrt(share);
        context.fillRect(x, rows - 1 - row, 1, 1);
      }
  }, [strip]);
  const number = (value: number): string => formatNumber(value, language);
  const steps = [histograms.at(0)?.step, histograms.at(-1)?.step].map((step) =>
    formatCount(step ?? 0, language),
  );
  return (
    <figure className={classes.strip}>
      <figcaption title={name}>
        {name} <span className={classes.note}>{t('media.rank', { rank })}</span>
      </figcaption>
      <div className={classes.plot}>
        <div className={classes.scale} aria-hidden>
          <span>{number(strip.high)}</span>
          <span>{number(strip.low)}</span>
        </div>
        <canvas
          ref={canvas}
          width={strip.columns.length}
          height={rows}
          role="img"
          aria-label={t('media.strip', {
            name,
            low: number(strip.low),
            high: number(strip.high),
            first: steps[0] ?? '',
            last: steps[1] ?? '',
          })}
        />
      </div>
      <div className={classes.steps} aria-hidden>
        <span>{t('media.step', { step: steps[0] ?? '' })}</span>
        <span>{steps[1]}</span>
      </div>
    </figure>
  );
}
