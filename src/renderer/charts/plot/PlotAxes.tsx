/** A chart's axes: grid lines and tick labels. */
import type { Area } from '../scale/plot-place.ts';

export interface Tick {
  /** In pixels of the picture. */
  readonly at: number;
  readonly label: string;
}

export interface PlotAxesProps {
  readonly area: Area;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
}

const fontSize = 10.5;
/** The maximum width of a letter, about. */
const letter = 6.2;
/** The minimum distance between two labels, vertical and horizontal, in pixels. */
const apart = 6;
const fromAxis = 8;
const besideAxis = 5;

/** The labels that fit: none is cut off at the right, and none overlaps its neighbour. */
export function placedLabels(ticks: readonly Tick[], right: number): Tick[] {
  const placed: Tick[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { at, label } of ticks) {
    const half = (label.length * letter) / 2;
    const middle = Math.min(at, right - half);
    if (middle - half < end + apart) continue;
    end = middle + half;
    placed.push({ at: middle, label });
  }
  return placed;
}

export function PlotAxes({ area, xTicks, yTicks }: PlotAxesProps) {
  const right = area.x + area.width;
  const bottom = area.y + area.height;
  return (
    <g fontSize={fontSize} fill="var(--rl-faint)">
      <g stroke="var(--rl-border)" strokeDasharray="2 3">
        {yTicks.map(({ at, label }) => (
          <line key={`${label} ${at}`} x1={area.x} x2={right} y1={at} y2={at} />
        ))}
      </g>
      <line x1={area.x} x2={right} y1={bottom} y2={bottom} stroke="var(--rl-border-strong)" />
      <g textAnchor="middle">
        {placedLabels(xTicks, right + fromAxis).map(({ at, label }) => (
          <text key={`${label} ${at}`} x={at} y={bottom + fromAxis} dy="0.71em">
            {label}
          </text>
        ))}
      </g>
      <g textAnchor="end">
        {yTicks.map(({ at, label }) => (
          <text key={`${label} ${at}`} x={area.x - besideAxis} y={at} dy="0.355em">
            {label}
          </text>
        ))}
      </g>
    </g>
  );
}
