/** A chart's legend: each line's colour, and its value at the cursor, otherwise its last one. */
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/base/language.ts';
import { isScalarId, type ChartLine, type ChartSpec } from '../series/chart-list.ts';
import { useCardView } from './card-view.ts';
import classes from './ChartLegend.module.css';
import { useHover } from '../plot/hover.ts';
import type { FeedAxis } from '../scale/axis.ts';
import { formatQuantity, RunName } from '../../ui/index.ts';
import { isDrawn, lastOf, nearest, type Track } from '../series/track.ts';

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
  /** What the tracks lie along. */
  readonly along: FeedAxis;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  readonly language: Language;
}

/** Values that are not numbers come last. */
const largestFirst = (a: { y: number | null | undefined }, b: { y: number | null | undefined }): number =>
  (b.y ?? Number.NEGATIVE_INFINITY) === (a.y ?? Number.NEGATIVE_INFINITY)
    ? 0
    : (b.y ?? Number.NEGATIVE_INFINITY) - (a.y ?? Number.NEGATIVE_INFINITY);

export function ChartLegend({ spec, trackOf, along, hidden, onToggle, language }: ChartLegendProps) {
  const name = useLineName();
  const x = useHover(along);
  const order = useCardView((view) => view.order);
  const shown = spec.lines.flatMap((line) => {
    const track = trackOf(line.name);
    if (track === undefined || !isDrawn(track)) return [];
    const y = (x === undefined ? lastOf(track) : nearest(track, x))?.y;
    return [{ line, y }];
  });
  const [single] = shown;
  const isNamed = single?.line.meaning.of === 'run';
  if (single !== undefined && spec.lines.length === 1 && isScalarId(spec.id) && !isNamed) {
    // The heading names the only line, unless several runs are compared.
    return (
      <div className={classes.single}>
        {single.y === undefined ? '' : formatQuantity(single.y ?? Number.NaN, spec.unit, language)}
      </div>
    );
  }
  return (
    <div className={classes.legend}>
      {(order === 'value' ? shown.toSorted(largestFirst) : shown).map(({ line, y }) => {
        const value = y === undefined ? '' : formatQuantity(y ?? Number.NaN, spec.unit, language);
        const text = name(line);
        return (
          <button
            key={line.name}
            type="button"
            className={classes.legendItem}
            data-legend={text}
            aria-pressed={!hidden.has(line.name)}
            title={text}
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
            <span className={classes.legendName}>
              {line.meaning.of === 'run' ? <RunName name={text} /> : text}
            </span>
            <span className={classes.legendValue}>{value}</span>
          </button>
        );
      })}
    </div>
  );
}
