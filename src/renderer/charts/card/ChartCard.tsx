/** One chart: heading, legend with values, curves, cursor; its empty, loading and failed states. */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconArrowsDiagonal,
  IconArrowsDiagonalMinimize2,
  IconPinned,
  IconPinnedFilled,
} from '@tabler/icons-react';
import { memo, useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/base/language.ts';
import { scalarName } from '../../../shared/run/run-outputs.ts';
import type { RunPin } from '../../../shared/run/run.ts';
import type { Axis } from '../scale/axis.ts';
import type { Band } from '../series/band.ts';
import {
  isScalarId,
  type ChartId,
  type ChartLine,
  type ChartSpec,
  type ScalarId,
} from '../series/chart-list.ts';
import classes from './ChartCard.module.css';
import { ChartCursor } from '../plot/ChartCursor.tsx';
import { ChartExport } from './ChartExport.tsx';
import { ChartLegend, useLineName } from './ChartLegend.tsx';
import { ChartMarks } from '../marks/ChartMarks.tsx';
import { ChartPlot } from '../plot/ChartPlot.tsx';
import { draw } from '../plot/drawing.ts';
import type { Mark } from '../marks/marks.ts';
import { plotMargin } from '../scale/plot-place.ts';
import { formatQuantity } from '../../ui/index.ts';
import { lastOf, type Track } from '../series/track.ts';
import { useOnScreen } from './use-on-screen.ts';

export interface ChartCardProps {
  readonly spec: ChartSpec;
  readonly trackOf: (name: string) => Track | undefined;
  readonly axis: Axis;
  /** In the feed's units; undefined while there are no points. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly seams: readonly number[];
  readonly log: boolean;
  readonly smoothing: number;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  readonly onZoom: (range: { from: number; to: number } | undefined) => void;
  readonly width: number;
  readonly height: number;
  readonly language: Language;
  readonly loading: boolean;
  /** The text where there are no points. */
  readonly empty: string;
  readonly enlarged: boolean;
  readonly onEnlarge: (id: ChartId | ScalarId) => void;
  /** Whether the user put the card on top. */
  readonly pinned: boolean;
  readonly onPinCard: (id: ChartId | ScalarId) => void;
  /** Loads all points of these lines, by their names: those that are drawn may be a part. */
  readonly whole?: ((lines: readonly ChartLine[]) => Promise<ReadonlyMap<string, Track>>) | undefined;
  readonly bandOf?: ((name: string) => Band | undefined) | undefined;
  /** In the feed's units. */
  readonly marks?: readonly { readonly x: number; readonly mark: Mark }[] | undefined;
  readonly pins?: readonly { readonly x: number; readonly pin: RunPin }[] | undefined;
  /** Adds a pin at x; returns its id. */
  readonly onNewPin?: ((x: number) => string) | undefined;
  /** Changes a pin's note; `undefined` removes the pin. */
  readonly onPin?: ((pin: RunPin, note: string | undefined) => void) | undefined;
}

const noPin = (): void => undefined;

/** Memoised: not rendered again with every point. */
const EnlargeButton = memo(function EnlargeButton(props: {
  readonly id: ChartId | ScalarId;
  readonly title: string;
  readonly enlarged: boolean;
  readonly onEnlarge: (id: ChartId | ScalarId) => void;
}) {
  const { t } = useTranslation();
  const text = t(props.enlarged ? 'runs.chart.shrink' : 'runs.chart.enlarge', { chart: props.title });
  return (
    // Over its own plot, not over the controls of the panel above.
    <Tooltip label={text} position="bottom">
      <ActionIcon size={24} aria-label={text} onClick={() => props.onEnlarge(props.id)}>
        {props.enlarged ? <IconArrowsDiagonalMinimize2 size={13} /> : <IconArrowsDiagonal size={13} />}
      </ActionIcon>
    </Tooltip>
  );
});

const PinButton = memo(function PinButton(props: {
  readonly id: ChartId | ScalarId;
  readonly title: string;
  readonly pinned: boolean;
  readonly onPinCard: (id: ChartId | ScalarId) => void;
}) {
  const { t } = useTranslation();
  const { id, title, pinned } = props;
  const text = t(pinned ? 'charts.unpinCard' : 'charts.pinCard', { chart: title });
  return (
    <Tooltip label={text} position="bottom">
      <ActionIcon size={24} aria-label={text} aria-pressed={pinned} onClick={() => props.onPinCard(id)}>
        {pinned ? <IconPinnedFilled size={13} /> : <IconPinned size={13} />}
      </ActionIcon>
    </Tooltip>
  );
});

export function ChartCard(props: ChartCardProps) {
  const { spec, trackOf, axis, log, smoothing, hidden, language } = props;
  const { t } = useTranslation();
  const lineName = useLineName();
  const title = isScalarId(spec.id) ? (scalarName(spec.id) ?? '') : t(`runs.chart.${spec.id}`);
  const figure = useRef<HTMLElement>(null);
  const seen = useOnScreen(figure);
  const [openPin, setOpenPin] = useState<string>();
  const versions = spec.lines.map((line) => trackOf(line.name)?.version ?? 0).join(' ');
  const { range } = props;
  // A chart that is scrolled out of sight is not redrawn: its heading and its last values are updated.
  const drawn = useRef({ versions, range });
  if (seen) drawn.current = { versions, range };
  const shown = drawn.current.range;
  const [from, to] = [shown?.from, shown?.to];
  const tickCount = Math.max(2, Math.floor((props.height - plotMargin.top - plotMargin.bottom) / 32));
  const drawing = useMemo(
    () =>
      draw(spec, trackOf, {
        ...{ axis, log, smoothing, hidden, tickCount, bandOf: props.bandOf },
        range: from === undefined || to === undefined ? undefined : { from, to },
      }),
    // The tracks change in place: their versions show when.
    [spec, drawn.current.versions, trackOf, axis, log, smoothing, hidden, tickCount, from, to, props.bandOf],
  );
  const newest = useRef({ trackOf, lineName, whole: props.whole });
  newest.current = { trackOf, lineName, whole: props.whole };
  const exported = useCallback(async () => {
    const now = newest.current;
    const all = await now.whole?.(spec.lines);
    return spec.lines.map((line) => ({
      name: now.lineName(line),
      track: all?.get(line.name) ?? now.trackOf(line.name),
    }));
  }, [spec]);
  const lasts = spec.lines.flatMap((line) => {
    const last = lastOf(trackOf(line.name));
    return last === undefined ? [] : [{ line, last }];
  });
  // A run is judged by its validation; while there is none, by rank 0's training.
  const main = lasts.find(({ line }) => line.sparse) ?? lasts[0];
  const dense = lasts.filter(({ line }) => !line.sparse);
  const formatValue = (y: number | null): string => formatQuantity(y ?? Number.NaN, spec.unit, language);
  const spoken = lasts.map(({ line, last }) => `${lineName(line)} ${formatValue(last.y)}`).join(', ');
  let low = shown === undefined ? 0 : axis.toShown(shown.from);
  let high = shown === undefined ? 1 : axis.toShown(shown.to);
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  /** Pixels from the left, if it is in view. */
  const placed = (x: number): number[] => {
    const share = (axis.toShown(x) - low) / (high - low);
    const inner = props.width - plotMargin.left - plotMargin.right;
    return share < 0 || share > 1 ? [] : [plotMargin.left + share * inner];
  };
  const isBare = drawing.points === 0 && drawing.lines.length === 0;
  let body: ReactNode;
  // Zoomed to between two points a chart has its axes and its cursor, by which the user gets out again.
  if (drawing.points === 0 && (range === undefined || props.loading)) {
    body = (
      <div className={classes.empty} style={{ height: props.height }} data-loading={props.loading}>
        {props.loading ? <span className={classes.skeleton} aria-hidden /> : props.empty}
      </div>
    );
  } else {
    body = (
      <div className={classes.plot} style={{ height: props.height }}>
        <ChartPlot
          spec={spec}
          drawing={isBare ? { ...drawing, yTicks: [] } : drawing}
          axis={axis}
          low={low}
          high={high}
          width={props.width}
          height={props.height}
          language={language}
          seams={props.seams}
        />
        <ChartCursor
          axis={axis}
          low={low}
          high={high}
          width={props.width}
          height={props.height}
          language={language}
          label={title}
          onZoom={props.onZoom}
          onPin={
            props.onNewPin === undefined
              ? undefined
              : (x) => {
                  setOpenPin(props.onNewPin?.(x));
                }
          }
        />
        {isBare && <p className={classes.noneHere}>{t('charts.noneHere')}</p>}
        <ChartMarks
          marks={(props.marks ?? []).flatMap(({ x, mark }) => placed(x).map((at) => ({ ...mark, x: at })))}
          pins={(props.pins ?? []).flatMap(({ x, pin }) => placed(x).map((at) => ({ ...pin, x: at })))}
          open={openPin}
          onOpen={setOpenPin}
          onPin={props.onPin ?? noPin}
        />
      </div>
    );
  }
  return (
    <figure
      ref={figure}
      className={classes.card}
      aria-label={spoken === '' ? t('runs.chart.emptyLabel', { chart: title }) : `${title}: ${spoken}`}
      aria-busy={props.loading}
      data-chart={spec.id}
      data-points={drawing.points}
      data-gaps={drawing.gaps.length}
      // Of the training lines only: a validation is stored at the step that comes next.
      data-newest={dense.length === 0 ? '' : Math.max(...dense.map(({ last }) => last.x))}
      data-last={main === undefined ? '' : String(main.last.y ?? 'NaN')}
      style={{ width: props.width }}
    >
      <div className={classes.cardHead}>
        <h3 className={classes.cardTitle} title={title}>
          {title}
        </h3>
        {drawing.gaps.length > 0 && (
          <span className={classes.mark} title={t('runs.chart.gapsHint')}>
            {t('runs.chart.gaps', { count: drawing.gaps.length })}
          </span>
        )}
        {drawing.domain.clipped && (
          <span className={classes.mark} title={t('runs.chart.clippedHint')}>
            {t('runs.chart.clipped')}
          </span>
        )}
        <ChartExport figure={figure} title={title} lines={exported} axis={axis} />
        <PinButton id={spec.id} title={title} pinned={props.pinned} onPinCard={props.onPinCard} />
        <EnlargeButton id={spec.id} title={title} enlarged={props.enlarged} onEnlarge={props.onEnlarge} />
      </div>
      <ChartLegend
        spec={spec}
        trackOf={trackOf}
        along={axis.x}
        hidden={hidden}
        onToggle={props.onToggle}
        language={language}
      />
      {body}
    </figure>
  );
}
