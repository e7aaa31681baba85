/** The charts of one run, with the choice of ranks, x axis and size. */
import { Button, Select } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { absencesOf, firstMembers } from '../../../shared/run/membership.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { useLanguage } from '../../state/index.ts';
import { runPalette } from '../../theme/index.ts';
import { keptState } from '../../ui/index.ts';
import { makeAxis } from '../scale/axis.ts';
import { chartList, maxRanksDrawn, ranksOf, type ShownRanks } from '../series/chart-list.ts';
import type { ChartCardProps } from '../card/ChartCard.tsx';
import { ToolSwitch } from '../card/ChartTools.tsx';
import { ChartGrid, useGrid } from './ChartGrid.tsx';
import { ChartToolbar } from './ChartToolbar.tsx';
import classes from './charts.module.css';
import { sharedRange } from '../plot/drawing.ts';
import { markX } from '../marks/marks.ts';
import { RunMedia } from '../media/RunMedia.tsx';
import { RunScalars } from './RunScalars.tsx';
import { scalarField, type RunOutputs } from '../../../shared/run/run-outputs.ts';
import { scalarsOfRank } from '../series/scalar-list.ts';
import { useFeed } from '../series/use-feed.ts';
import { useMarks } from '../marks/use-marks.ts';
import { usePins } from '../marks/use-pins.ts';
import { useStarts } from '../series/use-starts.ts';
import { wholeLines } from '../series/whole-lines.ts';
import { useTracks } from '../series/use-tracks.ts';
import { useChartView } from './use-chart-view.ts';

const useShownRanks = keptState<ShownRanks>();
const useMarked = keptState<boolean>();

export interface RunChartsProps {
  readonly run: RunRecord;
  /** Undefined while they are not known. */
  readonly outputs: RunOutputs | undefined;
}

export function RunCharts({ run, outputs }: RunChartsProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const isScript = run.lab.experiment.script !== undefined;
  const view = useChartView(run.id, isScript ? 'step' : 'epoch');
  const { choice, resetZoom } = view;

  const names = run.ranks.map((rank) => `${rank.rank} ${rank.nodeId} ${rank.nodeName}`).join('\n');
  // A record arrives with every step; its ranks and its lab stay the same for a whole attempt.
  const absent = absencesOf(run).map(({ ranks: lost, from }) => `${lost.join(' ')} ${from}`);
  const ranks = useMemo(() => ranksOf(run), [run.id, names, absent.join('\n')]);
  const [chosen, setChosen] = useShownRanks(run.id, ranks.length <= 4 ? 'all' : 'band');
  const shownRank = typeof chosen === 'string' || ranks.some((one) => one.rank === chosen) ? chosen : 'all';
  const own = run.colour === undefined ? undefined : runPalette[run.colour];
  const { memberships, formerFirsts } = run;
  const specs = useMemo(
    () => (isScript ? [] : chartList(ranks, shownRank, own, firstMembers({ memberships, formerFirsts }))),
    [isScript, ranks, shownRank, own, memberships, formerFirsts],
  );
  const keys = useMemo(
    () => specs.flatMap((spec) => spec.lines.flatMap((line) => line.bandOf ?? line.joinedOf ?? [line.key])),
    [specs],
  );

  const { epochs, resumes } = useStarts(run);
  const start = run.startedAt ?? run.createdAt;
  const axis = useMemo(() => makeAxis(choice, epochs, start), [choice, epochs, start]);
  const zoom = view.zooms[axis.x];
  const drawnAlong = useRef(axis.x);
  useEffect(() => {
    // Where the same run is shown again, its zoom is kept.
    if (drawnAlong.current !== axis.x) resetZoom();
    drawnAlong.current = axis.x;
  }, [axis.x, resetZoom]);

  const scalars = useMemo(() => scalarsOfRank(outputs?.scalars ?? [], shownRank), [outputs, shownRank]);
  const drawn = useMemo(
    () => new Set<string>([...specs.map(({ id }) => id), ...scalars.map(({ name }) => scalarField(name))]),
    [specs, scalars],
  );
  const grid = useGrid(drawn);
  const { points } = grid.layout;
  const feed = useFeed({ runId: run.id, keys, x: axis.x, range: zoom, maxPoints: points });
  const { tracks, bands } = useTracks(specs, feed, points);
  const range = zoom ?? sharedRange(keys.map((key) => feed?.track(key)));
  const api = useApi();
  const whole: ChartCardProps['whole'] = (lines) =>
    wholeLines(api, { runId: run.id, x: axis.x, range: zoom }, lines);
  const seams = useMemo(
    () => resumes.map(({ step, t: at }) => axis.toShown(axis.x === 't' ? at : step)),
    [resumes, axis],
  );
  const placeX = axis.x === 't' ? 't' : 'step';
  const { marks, timeline } = useMarks(run);
  const [marked, setMarked] = useMarked('events', true);
  const placedMarks = useMemo(
    () =>
      !marked
        ? []
        : marks.flatMap((mark) => {
            const x = markX(mark, placeX, timeline);
            return x === undefined ? [] : [{ x, mark }];
          }),
    [marks, marked, timeline, placeX],
  );
  const pins = usePins(run, placeX, timeline);
  const loading = feed === undefined || feed.state.phase === 'loading';
  const empty = isEnded(run.state) ? t('runs.chart.none') : t('runs.chart.notYet');
  return (
    <div className={classes.panel}>
      <ChartToolbar
        view={view}
        lines={
          ranks.length > 1 && (
            <Select
              aria-label={t('runs.chart.ranks')}
              w={158}
              value={String(shownRank)}
              onChange={(value) =>
                setChosen(() =>
                  value === 'band' || value === 'all' ? value : value === null ? 'all' : Number(value),
                )
              }
              data={[
                { value: 'all', label: t('runs.chart.allRanks') },
                { value: 'band', label: t('charts.band') },
                ...ranks.map(({ rank, nodeName }) => ({
                  value: String(rank),
                  label: t('runs.line.rank', { rank, node: nodeName }),
                })),
              ]}
            />
          )
        }
        switches={
          !isScript && (
            <ToolSwitch label={t('charts.marks')} on={marked} onSwitch={(on) => setMarked(() => on)} />
          )
        }
        log={isScript ? t('scalars.log') : t('runs.chart.log')}
      >
        {chosen === 'all' && ranks.length > maxRanksDrawn && (
          <span className={classes.note}>
            {t('runs.chart.someRanks', { shown: maxRanksDrawn, count: ranks.length })}
          </span>
        )}
      </ChartToolbar>
      {feed?.state.error !== undefined && (
        <div className={classes.failed} role="alert">
          <div>
            <p>{describeError(toWireError(feed.state.error), language).message}</p>
            <p>{describeError(toWireError(feed.state.error), language).hint}</p>
          </div>
          <Button variant="default" size="compact-xs" onClick={() => feed.reload()}>
            {t('runs.retry')}
          </Button>
        </div>
      )}
      <div ref={grid.region} className={classes.scroll}>
        {!isScript && (
          <ChartGrid
            grid={grid}
            className={classes.grid}
            specs={specs}
            view={view}
            common={{
              trackOf: tracks,
              bandOf: bands,
              whole,
              axis,
              range,
              seams,
              loading,
              empty,
              marks: placedMarks,
            }}
            pinsOf={(chart) => ({
              pins: pins.of(chart),
              onNewPin: (x) => pins.add(chart, x),
              onPin: pins.change,
            })}
          />
        )}
        {outputs !== undefined && outputs.scalars.length > 0 && (
          <RunScalars
            run={run}
            scalars={scalars}
            view={view}
            grid={grid}
            ranks={ranks}
            shown={shownRank}
            own={own ?? 'var(--rl-accent)'}
          />
        )}
        {isScript && grid.enlarged === undefined && (
          <RunMedia run={run} shown={typeof shownRank === 'number' ? shownRank : undefined} />
        )}
        {isScript && outputs?.scalars.length === 0 && (
          <p className={classes.blank}>{isEnded(run.state) ? t('scalars.none') : t('scalars.notYet')}</p>
        )}
      </div>
    </div>
  );
}
