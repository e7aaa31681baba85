/**
 * Pointer and keyboard input over the curves: the shared cursor; zoom by drag or Ctrl and the wheel; pan by Shift and a drag
 * or the wheel; a pin by the right button. Everything works by keyboard too.
 */
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/base/language.ts';
import { isTyped } from '../../../shared/base/typed-letter.ts';
import type { Axis } from '../scale/axis.ts';
import classes from './ChartCursor.module.css';
import { plotMargin } from '../scale/plot-place.ts';
import { hoverAt, leaveHover, useHover } from './hover.ts';

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
  /** The user pins this place, in the feed's units. */
  readonly onPin?: ((x: number) => void) | undefined;
}

/** A shorter drag is a click. */
const minDrag = 6;

export function ChartCursor(props: ChartCursorProps) {
  const { axis, low, high } = props;
  const { t } = useTranslation();
  const x = useHover(axis.x);
  const drag = useRef<number>(undefined);
  const pan = useRef<{ readonly pixel: number; readonly low: number; readonly high: number }>(undefined);
  const layer = useRef<HTMLDivElement>(null);
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
    if (pan.current !== undefined) {
      const { low: from, high: to } = pan.current;
      const by = ((pan.current.pixel - pixel) / inner) * (to - from);
      show(from + by, to + by);
      return;
    }
    hoverAt(axis.x, toFeed(pixel));
    setStretch(dragged(event));
  };
  const show = (from: number, to: number): void =>
    props.onZoom({ from: axis.toFeed(Math.max(0, from)), to: axis.toFeed(Math.max(0, from) + to - from) });
  const panBy = (share: number): void => show(low + share * (high - low), high + share * (high - low));
  /** The dragged pixels: from the event, since `stretch` may not be drawn yet where the button is released at once. */
  const dragged = (event: PointerEvent<HTMLDivElement>): readonly [number, number] | undefined => {
    if (drag.current === undefined) return undefined;
    const pixel = pixelOf(event);
    return [Math.min(drag.current, pixel), Math.max(drag.current, pixel)];
  };
  const end = (): void => {
    pan.current = undefined;
    drag.current = undefined;
    setStretch(undefined);
  };
  const release = (event: PointerEvent<HTMLDivElement>): void => {
    const range = dragged(event);
    if (range !== undefined && range[1] - range[0] >= minDrag)
      props.onZoom({ from: toFeed(range[0]), to: toFeed(range[1]) });
    end();
  };
  const key = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = (high - low) / (event.shiftKey ? 10 : 100);
    const now = x === undefined ? high : axis.toShown(x);
    if (event.key === 'ArrowLeft' && event.altKey) panBy(-0.2);
    else if (event.key === 'ArrowRight' && event.altKey) panBy(0.2);
    else if (isTyped('p', event) && props.onPin !== undefined && !event.ctrlKey && !event.metaKey)
      props.onPin(axis.toFeed(now));
    else if (event.key === 'ArrowLeft') hoverAt(axis.x, axis.toFeed(Math.max(low, now - step)));
    else if (event.key === 'ArrowRight') hoverAt(axis.x, axis.toFeed(Math.min(high, now + step)));
    else if (event.key === 'Home') hoverAt(axis.x, axis.toFeed(low));
    else if (event.key === 'End') hoverAt(axis.x, axis.toFeed(high));
    else if (event.key === '+' || event.key === '=') zoomAround(now, 0.5);
    else if (event.key === '-') zoomAround(now, 2);
    else if (event.key === '0') props.onZoom(undefined);
    else return;
    event.preventDefault();
  };
  /** Zooms around `shown`, which stays in place. */
  const zoomAround = (shown: number, factor: number): void =>
    show(shown - (shown - low) * factor, shown + (high - shown) * factor);
  const wheel = (event: WheelEvent): void => {
    // The plain wheel scrolls the charts.
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    if (event.shiftKey) panBy(turned / 600);
    else {
      const box = layer.current?.getBoundingClientRect();
      zoomAround(axis.toShown(toFeed(event.clientX - (box?.left ?? 0))), 2 ** (turned / 240));
    }
  };
  const turn = useRef(wheel);
  turn.current = wheel;
  useEffect(() => {
    const element = layer.current;
    // React's own listener is passive: it could not keep the page from zooming.
    const listen = (event: WheelEvent): void => turn.current(event);
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, []);

  const at = x === undefined ? undefined : toPixel(x);
  const visible =
    at !== undefined && at >= plotMargin.left - 0.5 && at <= props.width - plotMargin.right + 0.5;
  return (
    <div
      ref={layer}
      className={classes.cursorLayer}
      role="slider"
      tabIndex={0}
      aria-label={t('runs.chart.cursor', { chart: props.label })}
      aria-valuemin={low}
      aria-valuemax={high}
      aria-valuenow={x === undefined ? high : axis.toShown(x)}
      aria-valuetext={axis.format(x === undefined ? high : axis.toShown(x), props.language)}
      onPointerMove={move}
      onPointerDown={(event) => {
        const pixel = pixelOf(event);
        if (event.button === 1 || (event.button === 0 && event.shiftKey)) pan.current = { pixel, low, high };
        else if (event.button === 0) drag.current = pixel;
        else return;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={release}
      onPointerCancel={end}
      // Text that was selected elsewhere, around this chart, too.
      onDragStart={(event) => {
        event.preventDefault();
      }}
      onPointerLeave={leaveHover}
      onBlur={leaveHover}
      onContextMenu={(event) => {
        if (props.onPin === undefined) return;
        event.preventDefault();
        props.onPin(toFeed(event.clientX - event.currentTarget.getBoundingClientRect().left));
      }}
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
            {axis.format(axis.toShown(x), props.language)}
          </div>
        </>
      )}
    </div>
  );
}
