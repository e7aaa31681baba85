/**
 * Draws a chart's curves with recharts' `Curve` rather than its `Line`, which measures every path and copies every point for
 * animations that live data cannot have. It takes a tenth of the time, and draws the same path.
 */
import { useId } from 'react';
import { Curve } from 'recharts';
import type { ChartSpec } from '../series/chart-list.ts';
import type { Drawing, Row } from './drawing.ts';
import type { Area, Place } from '../scale/plot-place.ts';

export interface CurvesProps {
  readonly spec: ChartSpec;
  readonly drawing: Drawing;
  /** The plot's area in the picture, in pixels. */
  readonly area: Area;
  readonly place: Place;
}

/** With fewer points than this they are also drawn as dots: a single one has no line. */
const dotsBelow = 40;

interface Spot {
  readonly x: number;
  readonly y: number;
}

export function Curves({ spec, drawing, area, place }: CurvesProps) {
  const clip = useId();
  const { toX, toY } = place;
  const points = (rows: readonly Row[]): ({ x: number; y: number } | { x: number; y: null })[] =>
    rows.map(({ x, y }) => (y === null ? { x: toX(x), y: null } : { x: toX(x), y: toY(y) }));
  const spots = (rows: readonly Row[]): Spot[] =>
    rows.flatMap(({ x, y }) => (y === null ? [] : [{ x: toX(x), y: toY(y) }]));
  const lineOf = (name: string) => spec.lines.find((line) => line.name === name);

  return (
    <g clipPath={`url(#${clip})`}>
      <clipPath id={clip}>
        <rect x={area.x - 3} y={area.y - 3} width={area.width + 6} height={area.height + 4} />
      </clipPath>
      {drawing.lines.map(({ name, band }) =>
        band === undefined ? null : (
          <path
            key={`${name} band`}
            data-band={name}
            d={`M${[
              ...band.map(({ x, high: top }) => `${toX(x).toFixed(1)} ${toY(top).toFixed(1)}`),
              ...band
                .toReversed()
                .map(({ x, low: under }) => `${toX(x).toFixed(1)} ${toY(under).toFixed(1)}`),
            ].join('L')}Z`}
            fill={lineOf(name)?.colour ?? 'var(--rl-text)'}
            fillOpacity={0.18}
            stroke="none"
          />
        ),
      )}
      {drawing.lines.map(({ name, raw }) =>
        raw === undefined ? null : (
          <g key={`${name} raw`} data-raw={name}>
            <Curve
              type="linear"
              points={points(raw)}
              fill="none"
              stroke={lineOf(name)?.colour ?? 'var(--rl-text)'}
              strokeWidth={1}
              strokeOpacity={0.28}
            />
          </g>
        ),
      )}
      {drawing.lines.map(({ name, rows }) => {
        const line = lineOf(name);
        const colour = line?.colour ?? 'var(--rl-text)';
        return (
          <g key={name} data-line={name}>
            <Curve
              type="linear"
              className="recharts-line-curve"
              points={points(rows)}
              fill="none"
              stroke={colour}
              strokeWidth={line?.sparse === true ? 2 : 1.6}
              strokeLinejoin="round"
              {...(line?.dash === undefined ? {} : { strokeDasharray: line.dash })}
            />
            {rows.length < dotsBelow &&
              spots(rows).map((spot, at) => (
                <circle
                  // Several may lie at one x.
                  key={at}
                  cx={spot.x}
                  cy={spot.y}
                  r={line?.sparse === true ? 3 : 2}
                  fill={colour}
                />
              ))}
          </g>
        );
      })}
    </g>
  );
}
