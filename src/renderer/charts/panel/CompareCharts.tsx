/** Several runs in the same charts: a colour for each run, or each group of runs as its mean. */
import { useCallback, useMemo, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { useLanguage } from '../../state/index.ts';
import { makeComparedAxis } from '../scale/axis.ts';
import { ChartGrid, useGrid } from './ChartGrid.tsx';
import { ChartToolbar } from './ChartToolbar.tsx';
import classes from './charts.module.css';
import { ComparedCard } from '../scalars/ComparedCard.tsx';
import { ScalarGroups } from '../scalars/ScalarGroups.tsx';
import { compareList, comparedKeys, trainerTracks, type ComparedLine } from '../series/compare-list.ts';
import { comparedScalars, comparedSpec, shownByScalars } from '../series/compared-scalars.ts';
import { sharedRange } from '../plot/drawing.ts';
import { useCatalogues } from '../series/use-catalogues.ts';
import { useLineTracks } from '../series/use-line-tracks.ts';
import { wholeRuns } from '../series/whole-lines.ts';
import { useRunSet } from '../series/use-run-set.ts';
import { sharedByCards, useChartView } from './use-chart-view.ts';
import { seriesName } from '../../../shared/metrics/metrics.ts';
import { scalarField } from '../../../shared/run/run-outputs.ts';

const noSeams: readonly number[] = [];

const trainerSeries = comparedKeys.map(seriesName);

export interface CompareChartsProps {
  /** Whose choice of pinned scalars applies. */
  readonly labId: string;
  readonly lines: readonly ComparedLine[];
  /** Runs that have not ended. */
  readonly live: readonly string[];
  /** Further items of the toolbar. */
  readonly tools?: ReactNode;
}

export function CompareCharts({ labId, lines, live, tools }: CompareChartsProps) {
  const api = useApi();
  const { t } = useTranslation();
  const language = useLanguage();
  const runs = useMemo(() => lines.flatMap((line) => line.runs), [lines]);
  const catalogues = useCatalogues(
    runs.map(({ id }) => id),
    live,
  );
  const scalars = useMemo(() => comparedScalars(runs, catalogues), [runs, catalogues]);
  // Scripts have none of the trainer's series; where both are compared, the scalars' charts show the trainer's, too.
  const trained = useMemo(() => lines.filter((line) => line.runs.some((run) => !run.isScript)), [lines]);
  const specs = useMemo(() => {
    const shown = shownByScalars(scalars);
    if (trained.length === 0) return [];
    return compareList(trained).filter((spec) => !spec.lines.some((line) => shown.has(seriesName(line.key))));
  }, [trained, scalars]);
  const ofRun = useCallback(
    (name: string) => {
      // A run is hidden in all charts: the names of its lines begin with its id.
      const run = `${name.split(' ')[0] ?? ''} `;
      return [
        ...specs.flatMap((spec) => spec.lines),
        ...scalars.flatMap((one) => comparedSpec(one, lines).lines),
      ]
        .map((line) => line.name)
        .filter((other) => other.startsWith(run));
    },
    [specs, scalars, lines],
  );
  const view = useChartView(
    lines.map(({ id }) => id).join(' '),
    runs.every((run) => run.isScript) ? 'step' : 'epoch',
    ofRun,
    // Also of the same runs in other groups.
    runs
      .map(({ id }) => id)
      .toSorted()
      .join(' '),
  );
  const { choice } = view;
  // At once: a zoom of one axis is no range of another, and would be loaded in vain.
  const setChoice = (next: typeof choice): void => {
    view.setChoice(next);
    view.resetZoom();
  };
  const axis = useMemo(() => makeComparedAxis(choice), [choice]);
  const zoom = view.zooms[axis.x];
  const drawn = useMemo(
    () => new Set<string>([...specs.map(({ id }) => id), ...scalars.map(({ name }) => scalarField(name))]),
    [specs, scalars],
  );
  const grid = useGrid(drawn, 330);
  // The whole comparison scrolls, with the table below.
  const scroller = useRef<HTMLElement>(null);
  const { points } = grid.layout;
  const tracks = useMemo(
    () =>
      specs.length === 0
        ? []
        : trainerTracks(
            runs.filter((run) => !run.isScript),
            choice,
          ),
    [specs.length, runs, choice],
  );
  const set = useRunSet({ runs: tracks, range: zoom, maxPoints: points });
  const { trackOf, bandOf } = useLineTracks(set, trained, trainerSeries, points);
  const range = zoom ?? sharedRange(specs.flatMap((spec) => spec.lines.map((line) => trackOf(line.name))));
  return (
    <>
      <ChartToolbar
        view={{ ...view, setChoice }}
        switches={tools}
        // Of scalars all can have one, of the trainer's charts the loss.
        log={scalars.length > 0 ? t('scalars.log') : t('runs.chart.log')}
      >
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
            whole: (lines) => wholeRuns(api, tracks, zoom, lines),
            axis,
            range,
            seams: noSeams,
            loading: set.loading,
            empty: t('runs.chart.none'),
          }}
        />
        {scalars.length > 0 && grid.layout.width > 0 && (
          <ScalarGroups
            labId={labId}
            scalars={scalars}
            card={(scalar, { onPin, ...place }) => (
              <ComparedCard
                scalar={scalar}
                lines={lines}
                choice={choice}
                shared={{ ...sharedByCards(view, grid.layout), onEnlarge: grid.enlarge, onPin }}
                {...place}
              />
            )}
            columns={grid.layout.columns}
            width={grid.layout.width}
            height={grid.layout.height}
            enlarged={grid.enlarged}
            region={scroller}
          />
        )}
      </div>
    </>
  );
}
