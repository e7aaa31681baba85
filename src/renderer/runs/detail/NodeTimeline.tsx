/** A bar for each node along the run's time: who was there when, which node was lost, and what that cost. */
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { isUnderWay, type RunRecord } from '../../../shared/run/run.ts';
import { useLanguage, useNow } from '../../state/index.ts';
import { formatDuration } from '../../ui/index.ts';
import { nodeBars, type BarSpan } from './node-bars.ts';
import classes from './NodeTimeline.module.css';

export function NodeTimeline({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const timeline = nodeBars(run, useNow(isUnderWay(run.state)));
  if (timeline === undefined) return null;
  const { from, to, bars } = timeline;
  const place = (span: { from: number; to: number }): { left: string; width: string } => ({
    left: `${(100 * (span.from - from)) / (to - from)}%`,
    width: `${(100 * (span.to - span.from)) / (to - from)}%`,
  });
  const clock = (at: number): string => new Date(at * 1000).toLocaleTimeString(language);
  const duration = (seconds: number): string => formatDuration(Math.round(seconds), language);
  const textOf = ({ kind, from: begun, to: over, error, lostSeconds }: BarSpan): string =>
    [
      t(`runs.bars.${kind}`),
      `${clock(begun)}–${clock(over)} (${duration(over - begun)})`,
      ...(error === undefined ? [] : [describeError(error, language).message]),
      ...(lostSeconds === undefined || lostSeconds === 0
        ? []
        : [t('runs.bars.cost', { time: duration(lostSeconds) })]),
    ].join(' · ');
  return (
    <ul className={classes.bars} aria-label={t('runs.bars.label')}>
      {bars.map(({ node, spans, unreachable }) => (
        <li key={node} className={classes.row}>
          <span className={classes.name} title={node}>
            {node}
          </span>
          <ol className={classes.bar} aria-label={node}>
            {spans.map((span) => (
              <li
                key={`${span.kind} ${span.from}`}
                className={classes.span}
                data-kind={span.kind}
                style={place(span)}
                title={textOf(span)}
              >
                <span className={classes.hidden}>{textOf(span)}</span>
              </li>
            ))}
            {unreachable.map((away) => (
              <li
                key={`unreachable ${away.from}`}
                className={classes.span}
                data-kind="unreachable"
                style={place(away)}
                title={`${t('runs.bars.unreachable')} · ${clock(away.from)}–${clock(away.to)}`}
              >
                <span className={classes.hidden}>
                  {`${t('runs.bars.unreachable')} · ${clock(away.from)}–${clock(away.to)}`}
                </span>
              </li>
            ))}
          </ol>
        </li>
      ))}
      <li className={classes.axis} aria-hidden>
        <span>{clock(from)}</span>
        <span>{clock(to)}</span>
      </li>
    </ul>
  );
}
