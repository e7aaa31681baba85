/** Several runs in the same charts, a colour a run, or a group of runs as their mean. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useLanguage } from '../../state/index.ts';
import { makeAxis, type AxisChoice } from '../scale/axis.ts';
import { AxisPicker, CardLook, ToolSwitch } from '../card/ChartTools.tsx';
import { ChartGrid, useGrid } from './ChartGrid.tsx';
import classes from './charts.module.css';
import { compareList, type ComparedLine } from '../series/compare-list.ts';
import { sharedRange } from '../plot/drawing.ts';
import { useLineTracks } from '../series/use-line-tracks.ts';
import { useRunSet } from '../series/use-run-set.ts';

const smoothing = 0.6;
const noSeams: readonly number[] = [];

export interface CompareChartsProps {
  readonly lines: readonly ComparedLine[];
  /** What else stands in the toolbar. */
  readonly tools?: ReactNode;
}

export function CompareCharts({ lines, tools }: CompareChartsProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [choice, setChoice] = useState<AxisChoice>('epoch');
  const [log, setLog] = useState(false);
  const [smoothed, setSmoothed] = useState(true);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<{ from: number; to: number }>();
  const specs = useMemo(() => compareList(lines), [lines]);
  const runs = useMemo(() => lines.flatMap((line) => line.runs), [lines]);
  // The runs' own places are laid on the axis before they are drawn: it begins at 0 and counts as it is shown.
  const axis = useMemo(() => {
    const shown = makeAxis(choice === 'epoch' ? 'step' : choice, undefined, 0);
    const say = (value: number): string => String(Number(value.toPrecision(4)));
    return choice === 'epoch' ? { ...shown, choice, label: say, say } : shown;
  }, [choice]);
  const grid = useGrid(330);
  const { points } = grid.layout;
  const set = useRunSet({ runs, choice, range: zoom, maxPoints: points });
  const { trackOf, bandOf } = useLineTracks(set, lines, points);
  const range = zoom ?? sharedRange(specs.flatMap((spec) => spec.lines.map((line) => trackOf(line.name))));
  const toggle = useCallback(
    (name: string) =>
      setHidden((now) => {
        // A run is hidden in all charts: its id begins each of its lines' names.
        const runId = name.split(' ')[0] ?? '';
        const mine = specs.flatMap((spec) => spec.lines).filter((line) => line.name.startsWith(`${runId} `));
        const next = new Set(now);
        const hide = !now.has(name);
        for (const line of mine) {
          if (hide) next.add(line.name);
          else next.delete(line.name);
        }
        return next;
      }),
    [specs],
  );
  return (
    <>
      <div className={classes.toolbar} role="toolbar" aria-label={t('runs.chart.toolbar')}>
        <AxisPicker
          choice={choice}
          onChoose={(next) => {
            setChoice(next);
            setZoom(undefined);
          }}
        />
        <ToolSwitch label={t('runs.chart.smoothing')} on={smoothed} onSwitch={setSmoothed} />
        <ToolSwitch label={t('runs.chart.log')} on={log} onSwitch={setLog} />
        {tools}
        <CardLook />
        {set.error !== undefined && (
          <span role="alert">{describeError(toWireError(set.error), language).message}</span>
        )}
      </div>
      <ChartGrid
        grid={grid}
        className={classes.compareGrid}
        specs={specs}
        common={{
          trackOf,
          bandOf,
          axis,
          range,
          seams: noSeams,
          log,
          smoothing: smoothed ? smoothing : 0,
          hidden,
          onToggle: toggle,
          onZoom: setZoom,
          loading: set.loading,
          empty: t('runs.chart.none'),
        }}
      />
    </>
  );
}
