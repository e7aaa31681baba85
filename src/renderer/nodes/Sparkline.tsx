/** A small curve of a value's recent history, without axes. Decoration; the value itself is shown beside it. */
import { memo } from 'react';

export interface SparklineProps {
  /** Oldest first; null or undefined is a gap. */
  readonly values: readonly (number | null | undefined)[];
  /** The value at the top; at least the largest value. */
  readonly full: number;
  readonly colour: string;
  readonly width: number;
  readonly height: number;
  /** How many values fill the width. */
  readonly slots: number;
}

export const Sparkline = memo(function Sparkline(props: SparklineProps) {
  const { values, width, height, slots } = props;
  const known = values.filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  const full = Math.max(props.full, ...known, Number.MIN_VALUE);
  const shown = values.slice(-slots);
  let path = '';
  let pen = false;
  shown.forEach((value, i) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      pen = false;
      return;
    }
    const x = width - ((shown.length - 1 - i) / Math.max(1, slots - 1)) * width;
    const y = height - 1 - (Math.max(0, value) / full) * (height - 2);
    path += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = true;
  });
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={path} fill="none" stroke={props.colour} strokeWidth={1.4} strokeLinejoin="round" />
    </svg>
  );
});
