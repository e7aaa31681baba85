/** Above the curves: the shared cursor, and the stretch that the person draws to zoom into. By mouse and by keyboard. */
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../shared/error-texts.ts';
import type { Axis } from './axis.ts';
import classes from './charts.module.css';
import { plotMargin } from './ChartPlot.tsx';
import { hoverAt, useHoverStore } from './hover.ts';

export interface ChartCursorProps {
  readonly axis: Axis;
  /** In shown units. */
  readonly low: number;
  readonly high: number;
  readonly width: number;
  readonly height: number;
  readonly language: Language;
  readonly label: string;
  /** In the feed's units; undefined: everything. */
  readonly onZoom: (range: { from: number; to: number } | undefined) => void;
}

/** A shorter drag is a click. */
const leastDrag = 6;

export function ChartCursor(props: ChartCursorProps) {
  const { axis, low, high } = props;
  const { t } = useTranslation();
  const x = useHoverStore((state) => state.x);
  const drag = useRef<number>(undefined);
  const [stretch, setStretch] = useState<readonly [number, number]>();
  const inner = Math.max(1, props.width - plotMargin.left - plotMargin.right);
  const toPixel = (feed: number): number =>
    plotMargin.left + ((axis.toShown(feed) - low) / Math.max(Number.MIN_VALUE, high - low)) * inner;
  const toFeed = (pixel: number): number =>
    axis.toFeed(low + (Math.min(inner, Math.max(0, pixel - plotMargin.left)) / inner) * (high - low));
  const pixelOf = (event: PointerEvent<HTMLDivElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;

  const move = (event: PointerEvent<HTMLDivElement>): void => {
    const pixel = pixelOf(event);
    hoverAt(toFeed(pixel));
    if (drag.current !== undefined)
      setStretch([Math.min(drag.current, pixel), Math.max(drag.current, pixel)]);
  };
  const release = (): void => {
    if (stretch !== undefined && stretch[1] - stretch[0] >= leastDrag) {
      props.onZoom({ from: toFeed(stretch[0]), to: toFeed(stretch[1]) });
    }
    drag.current = undefined;
    setStretch(undefined);
  };
  const key = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = (high - low) / (event.shiftKey ? 10 : 100);
    const now = x === undefined ? high : axis.toShown(x);
    if (event.key === 'ArrowLeft') hoverAt(axis.toFeed(Math.max(low, now - step)));
    else if (event.key === 'ArrowRight') hoverAt(axis.toFeed(Math.min(high, now + step)));
    else if (event.key === 'Home') hoverAt(axis.toFeed(low));
    else if (event.key === 'End') hoverAt(axis.toFeed(high));
    else if (event.key === '+' || event.key === '=') zoomAround(now, 0.5);
    else if (event.key === '-') zoomAround(now, 2);
    else if (event.key === '0') props.onZoom(undefined);
    else return;
    event.preventDefault();
  };
  const zoomAround = (shown: number, factor: number): void => {
    const half = ((high - low) * factor) / 2;
    props.onZoom({ from: axis.toFeed(Math.max(0, shown - half)), to: axis.toFeed(shown + half) });
  };

  const at = x === undefined ? undefined : toPixel(x);
  const visible =
    at !== undefined && at >= plotMargin.left - 0.5 && at <= props.width - plotMargin.right + 0.5;
  return (
    <div
      className={classes.cursorLayer}
      role="slider"
      tabIndex={0}
      aria-label={t('runs.chart.cursor', { chart: props.label })}
      aria-valuemin={low}
      aria-valuemax={high}
      aria-valuenow={x === undefined ? high : axis.toShown(x)}
      aria-valuetext={axis.say(x === undefined ? high : axis.toShown(x), props.language)}
      onPointerMove={move}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        drag.current = pixelOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={release}
      onPointerCancel={() => {
        drag.current = undefined;
        setStretch(undefined);
      }}
      onPointerLeave={() => hoverAt(undefined)}
      onBlur={() => hoverAt(undefined)}
      onDoubleClick={() => props.onZoom(undefined)}
      onKeyDown={key}
    >
      {stretch !== undefined && (
        <div
          className={classes.stretch}
          style={{
            left: stretch[0],
            width: stretch[1] - stretch[0],
            top: plotMargin.top,
            bottom: plotMargin.bottom,
          }}
        />
      )}
      {visible && x !== undefined && (
        <>
          <div
            className={classes.cursor}
            style={{ left: at, top: plotMargin.top, bottom: plotMargin.bottom }}
          />
          <div
            className={classes.cursorLabel}
            style={{ left: Math.min(props.width - 34, Math.max(34, at)), bottom: 2 }}
          >
            {axis.say(axis.toShown(x), props.language)}
          </div>
        </>
      )}
    </div>
  );
}
