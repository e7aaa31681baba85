/** One vertical axis: its values, and the brush that the user drags along it, with the mouse or the arrow keys. */
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './parallel.module.css';
import type { RunAxis, Stretch } from './parallel-axes.ts';

const [top, bottom] = [30, 14];
const height = 210;
/** The axes' positions in the picture, in pixels. */
export const plot = {
  left: 70,
  right: 90,
  height,
  /** @param at 0 at the bottom, 1 at the top */
  toY: (at: number): number => top + (1 - at) * (height - top - bottom),
  toPlace: (y: number): number => Math.min(1, Math.max(0, 1 - (y - top) / (height - top - bottom))),
} as const;

/** A shorter drag, as a share of the axis, is a click, which removes the brush. */
const minDrag = 0.03;
const keyStep = 0.05;
/** Half the width of the pointer's target area. */
const reach = 13;
/** The mean width of a letter of a name and of a value, in pixels. */
const letter = { name: 6.6, value: 6 } as const;

/** A text of at most so many letters: more would lie over its neighbour. The rest is in its tooltip. */
function Fitting({ text, max }: { text: string; max: number }) {
  if (text.length <= max) return text;
  return (
    <>
      <title>{text}</title>
      {`${text.slice(0, Math.max(2, Math.floor(max) - 1))}…`}
    </>
  );
}

export interface ParallelAxisProps {
  readonly axis: RunAxis;
  readonly x: number;
  /** From here to the next axis, in pixels. */
  readonly room: number;
  /** Its values are on the right, where no line is drawn. */
  readonly last: boolean;
  readonly label: string;
  readonly format: (value: string | number) => string;
  readonly brush: Stretch | undefined;
  readonly onBrush: (stretch: Stretch | undefined) => void;
}

export function ParallelAxis({ axis, x, room, last, label, format, brush, onBrush }: ParallelAxisProps) {
  const { t } = useTranslation();
  const start = useRef<number>(undefined);
  const placeOf = (event: PointerEvent<SVGRectElement>): number => {
    const svg = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    return plot.toPlace(event.clientY - (svg?.top ?? 0));
  };
  const drag = (event: PointerEvent<SVGRectElement>): void => {
    if (start.current === undefined) return;
    const at = placeOf(event);
    const [from, to] = [Math.min(start.current, at), Math.max(start.current, at)];
    if (to - from >= minDrag) onBrush({ from, to });
  };
  const key = (event: KeyboardEvent): void => {
    const { from, to } = brush ?? { from: 0, to: 1 };
    const by = event.key === 'ArrowUp' ? keyStep : event.key === 'ArrowDown' ? -keyStep : 0;
    if (event.key === 'Escape' || event.key === 'Delete') onBrush(undefined);
    else if (by === 0) return;
    else {
      const next = event.shiftKey
        ? { from, to: Math.min(1, Math.max(from + keyStep, to + by)) }
        : { from: Math.max(0, Math.min(to - keyStep, from + by)), to };
      onBrush(next.from <= 0 && next.to >= 1 ? undefined : next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const valueText =
    brush === undefined
      ? t('parallel.whole')
      : t('parallel.range', { from: format(axis.valueAt(brush.from)), to: format(axis.valueAt(brush.to)) });
  const [low, high] = [plot.toY(0), plot.toY(1)];
  return (
    <g>
      <text x={x} y={14} className={classes.name} textAnchor={last ? 'end' : 'middle'} dx={last ? 60 : 0}>
        <Fitting text={label} max={(room - 8) / letter.name} />
      </text>
      <line x1={x} x2={x} y1={low} y2={high} className={classes.axis} />
      {axis.ticks.map(({ at, value }) => (
        <text
          key={value}
          x={last ? x + 8 : x - 8}
          y={plot.toY(at)}
          dy="0.35em"
          className={classes.tick}
          textAnchor={last ? 'start' : 'end'}
        >
          <Fitting
            text={format(value)}
            max={(last ? plot.right - 8 : Math.min(room - 16, x - 8)) / letter.value}
          />
        </text>
      ))}
      {brush !== undefined && (
        <rect
          className={classes.brush}
          x={x - 6}
          width={12}
          y={plot.toY(brush.to)}
          height={plot.toY(brush.from) - plot.toY(brush.to)}
          rx={2}
        />
      )}
      <rect
        className={classes.grip}
        x={x - reach}
        width={2 * reach}
        y={high - 6}
        height={low - high + 12}
        rx={4}
        role="slider"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={t('parallel.axis', { name: label })}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * (brush?.from ?? 0))}
        aria-valuetext={valueText}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = placeOf(event);
        }}
        onPointerMove={drag}
        onPointerUp={(event) => {
          if (start.current !== undefined && Math.abs(placeOf(event) - start.current) < minDrag)
            onBrush(undefined);
          start.current = undefined;
        }}
        onPointerCancel={() => (start.current = undefined)}
        onKeyDown={key}
      >
        <title>{valueText}</title>
      </rect>
    </g>
  );
}
