/**
 * A parallel-coordinates chart: a line for each run across settings and results. A brush on an axis marks the runs that pass
 * through it, in the table below as well; the line under the pointer is named.
 */
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import type { SettingName } from '../../../shared/run/run-settings.ts';
import { formatDuration, formatNumber, formatPercent, useSize } from '../../ui/index.ts';
import { useModeText } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import { runPalette } from '../../theme/index.ts';
import classes from './parallel.module.css';
import { axesOf, axisValue, keptBy, type AxisName, type Brushes, type Stretch } from './parallel-axes.ts';
import { ParallelAxis, plot } from './ParallelAxis.tsx';
import type { ScalarColumn, ValuesOfRuns } from './scalar-columns.ts';
import { columnLabel } from './table-columns.tsx';

/** With more lines the chart cannot be read; axes and brushes count the runs that are not drawn, too. */
const maxLines = 400;
/** Axes that are nearer would lie over each other's values: the chart is scrolled instead. In pixels. */
const minRoom = 84;

export interface ParallelRunsProps {
  readonly runs: readonly RunSummary[];
  readonly differ: ReadonlySet<SettingName>;
  readonly scalars: readonly ScalarColumn[];
  readonly values: ValuesOfRuns;
  readonly marked: ReadonlySet<string>;
  readonly onMark: (runIds: readonly string[]) => void;
  readonly onOpen: (runId: string) => void;
}

export function ParallelRuns({ runs, differ, scalars, values, marked, onMark, onOpen }: ParallelRunsProps) {
  const { t } = useTranslation();
  const format = useValueFormat();
  const box = useRef<HTMLDivElement>(null);
  const { width: visible } = useSize(box);
  const [brushes, setBrushes] = useState<Brushes>(new Map());
  const [pointed, setPointed] = useState<string>();
  const drawn = useMemo(() => runs.slice(0, maxLines), [runs]);
  const axes = useMemo(() => axesOf(runs, differ, scalars, values), [runs, differ, scalars, values]);
  const needed = plot.left + plot.right + minRoom * (axes.length - 1);
  const width = visible === 0 ? 0 : Math.max(visible, needed);
  const inner = Math.max(0, width - plot.left - plot.right);
  const room = axes.length < 2 ? inner : inner / (axes.length - 1);
  const xOf = (index: number): number =>
    plot.left + (axes.length < 2 ? inner / 2 : (index / (axes.length - 1)) * inner);
  const brush = (name: AxisName, stretch: Stretch | undefined): void => {
    const next = new Map(brushes);
    if (stretch === undefined) next.delete(name);
    else next.set(name, stretch);
    setBrushes(next);
    onMark(next.size === 0 ? [] : keptBy(runs, axes, next).map(({ id }) => id));
  };
  const pathOf = (run: RunSummary): string => {
    let pen = false;
    return axes
      .map((axis, index) => {
        const at = axis.placeOf(run);
        if (at === undefined) {
          pen = false;
          return '';
        }
        const step = `${pen ? 'L' : 'M'}${xOf(index).toFixed(1)} ${plot.toY(at).toFixed(1)}`;
        pen = true;
        return step;
      })
      .join('');
  };
  const shown = drawn.find(({ id }) => id === pointed);
  // A brush that no run passes through marks none: then none is what the user asked for.
  const strong = (run: RunSummary): boolean =>
    (marked.size === 0 && brushes.size === 0) || marked.has(run.id);
  const ordered = [...drawn].sort((a, b) => Number(strong(a)) - Number(strong(b)));
  return (
    <section ref={box} className={classes.box} aria-label={t('parallel.title')}>
      <p className={classes.words} role="status">
        {shown === undefined
          ? [
              drawn.length < runs.length && t('parallel.some', { drawn: drawn.length, count: runs.length }),
              t('parallel.hint'),
            ]
              .filter(Boolean)
              .join(' ')
          : t('parallel.run', {
              name: shown.name,
              values: axes
                .flatMap(({ name }) => {
                  const value = axisValue(shown, name, values);
                  return value === undefined ? [] : `${columnLabel(t, name)} ${format(name, value)}`;
                })
                .join(' · '),
            })}
      </p>
      {width > 0 && (
        <svg width={width} height={plot.height} className={classes.plot}>
          {ordered.map((run) => (
            <path
              key={run.id}
              d={pathOf(run)}
              className={classes.line}
              data-run={run.id}
              data-strong={strong(run)}
              stroke={run.colour === undefined ? 'var(--rl-accent)' : runPalette[run.colour]}
              data-pointed={run.id === pointed}
            />
          ))}
          {ordered.map((run) => (
            <path
              key={run.id}
              d={pathOf(run)}
              className={classes.reach}
              onPointerEnter={() => setPointed(run.id)}
              onPointerLeave={() => setPointed(undefined)}
              onClick={() => onOpen(run.id)}
            />
          ))}
          {axes.map((axis, index) => (
            <ParallelAxis
              key={axis.name}
              axis={axis}
              x={xOf(index)}
              room={room}
              last={index === axes.length - 1}
              label={columnLabel(t, axis.name)}
              format={(value) => format(axis.name, value)}
              brush={brushes.get(axis.name)}
              onBrush={(stretch) => brush(axis.name, stretch)}
            />
          ))}
        </svg>
      )}
    </section>
  );
}

function useValueFormat(): (name: AxisName, value: string | number) => string {
  const language = useLanguage();
  const modeText = useModeText();
  return (name, value) => {
    if (typeof value === 'string') return name === 'sync' ? modeText(value) : value;
    if (name === 'took') return formatDuration(value, language);
    return name === 'best' ? formatPercent(value, language) : formatNumber(value, language);
  };
}
