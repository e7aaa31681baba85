/** Several runs in the same charts: a colour for each run, or each group of runs as its mean. */
import { useCallback, useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useLanguage } from '../../state/index.ts';
import { makeAxis } from '../scale/axis.ts';
import { ChartGrid, useGrid } from './ChartGrid.tsx';
import { ChartToolbar } from './ChartToolbar.tsx';
import classes from './charts.module.css';
import { compareList, type ComparedLine } from '../series/compare-list.ts';
import { sharedRange } from '../plot/drawing.ts';
import { useLineTracks } from '../series/use-line-tracks.ts';
import { useRunSet } from '../series/use-run-set.ts';
import { useChartView } from './use-chart-view.ts';

const noSeams: readonly number[] = [];

export interface CompareChartsProps {
  readonly lines: readonly ComparedLine[];
  /** Further items of the toolbar. */
  readonly tools?: ReactNode;
}

export function CompareCharts({ lines, tools }: CompareChartsProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const specs = useMemo(() => compareList(lines), [lines]);
  const ofRun = useCallback(
    (name: string) => {
      // A run is hidden in all charts: the names of its lines begin with its id.
      const run = `${name.split(' ')[0] ?? ''} `;
      return specs
        .flatMap((spec) => spec.lines.map((line) => line.name))
        .filter((other) => other.startsWith(run));
    },
    [specs],
  );
  const view = useChartView('epoch', ofRun);
  const { choice } = view;
  // At once: a zoom of one axis is no range of another, and would be loaded in vain.
  const setChoice = (next: typeof choice): void => {
    view.setChoice(next);
    view.resetZoom();
  };
  const runs = useMemo(() => lines.flatMap((line) => line.runs), [lines]);
  // The runs' x values are shifted before they are drawn, so the axis starts at 0.
  const axis = useMemo(() => {
    const shown = makeAxis(choice === 'epoch' ? 'step' : choice, undefined, 0);
    const formatValue = (value: number): string => String(Number(value.toPrecision(4)));
    return choice === 'epoch' ? { ...shown, choice, label: formatValue, format: formatValue } : shown;
  }, [choice]);
  const zoom = view.zooms[axis.x];
  const grid = useGrid(330);
  const { points } = grid.layout;
  const set = useRunSet({ runs, choice, range: zoom, maxPoints: points });
  const { trackOf, bandOf } = useLineTracks(set, lines, points);
  const range = zoom ?? sharedRange(specs.flatMap((spec) => spec.lines.map((line) => trackOf(line.name))));
  return (
    <>
      <ChartToolbar view={{ ...view, setChoice }} switches={tools}>
        {set.error !== undefined && (
          <span role="alert">{describeError(toWireError(set.error), language).message}</span>
        )}
      </ChartToolbar>
      <div ref={grid.region}>
        <ChartGrid
          grid={grid}
          className={classes.grid}
          specs={specs}
          view={view}
          common={{
            trackOf,
            bandOf,
            axis,
            range,
            seams: noSeams,
            loading: set.loading,
            empty: t('runs.chart.none'),
          }}
        />
      </div>
    </>
  );
}
