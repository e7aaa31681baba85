/** The lines of a chart with their colours, and the value of each where the person points, else the last one. */
import { useTranslation } from 'react-i18next';
import type { Language } from '../../shared/error-texts.ts';
import type { ChartLine, ChartSpec } from './chart-list.ts';
import classes from './charts.module.css';
import { useHoverStore } from './hover.ts';
import { formatQuantity } from './quantity.ts';
import { lastOf, nearest, type Track } from './track.ts';

export function useLineName(): (line: ChartLine) => string {
  const { t } = useTranslation();
  return ({ meaning }) =>
    meaning.of === 'rank'
      ? t('runs.line.rank', { rank: meaning.rank, node: meaning.node })
      : meaning.of === 'run'
        ? meaning.name
        : meaning.of === 'mean'
          ? t('charts.mean', { count: meaning.count })
          : t(`runs.line.${meaning.of}`);
}

export interface ChartLegendProps {
  readonly spec: ChartSpec;
  readonly trackOf: (name: string) => Track | undefined;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  readonly language: Language;
}

export function ChartLegend({ spec, trackOf, hidden, onToggle, language }: ChartLegendProps) {
  const name = useLineName();
  const x = useHoverStore((state) => state.x);
  return (
    <div className={classes.legend}>
      {spec.lines.map((line) => {
        const track = trackOf(line.name);
        if (track === undefined || track.x.length === 0) return null;
        const point = x === undefined ? lastOf(track) : nearest(track, x);
        const value = point === undefined ? '' : formatQuantity(point.y ?? Number.NaN, spec.unit, language);
        const words = name(line);
        return (
          <button
            key={line.name}
            type="button"
            className={classes.legendItem}
            data-legend={words}
            aria-pressed={!hidden.has(line.name)}
            title={words}
            onClick={() => onToggle(line.name)}
          >
            <svg width={14} height={8} aria-hidden>
              <line
                x1={0}
                x2={14}
                y1={4}
                y2={4}
                stroke={line.colour}
                strokeWidth={2.5}
                {...(line.dash === undefined ? {} : { strokeDasharray: line.dash })}
              />
              {line.sparse && <circle cx={7} cy={4} r={3} fill={line.colour} />}
            </svg>
            <span className={classes.legendName}>{words}</span>
            <span className={classes.legendValue}>{value}</span>
          </button>
        );
      })}
    </div>
  );
}
