/** The curves of one chart, drawn by recharts: no animation, no events of its own, and no more points than pixels. */
import { memo } from 'react';
import { CartesianGrid, LineChart, ReferenceArea, ReferenceLine, XAxis, YAxis } from 'recharts';
import type { Language } from '../../shared/error-texts.ts';
import type { Axis } from './axis.ts';
import type { ChartSpec } from './chart-list.ts';
import { Curves } from './Curves.tsx';
import type { Drawing } from './drawing.ts';
import { formatNumber, formatQuantity } from './quantity.ts';

/** Where the curves lie in the picture, in pixels: the cursor above them must know. */
export const plotMargin = { top: 6, right: 12, bottom: 20, left: 52 } as const;

export interface ChartPlotProps {
  readonly spec: ChartSpec;
  readonly drawing: Drawing;
  readonly axis: Axis;
  /** In shown units. */
  readonly low: number;
  readonly high: number;
  readonly width: number;
  readonly height: number;
  readonly language: Language;
  /** Where training was resumed, in shown units. */
  readonly seams: readonly number[];
}

const tick = { fontSize: 10.5, fill: 'var(--rl-faint)' } as const;

export const ChartPlot = memo(function ChartPlot(props: ChartPlotProps) {
  const { spec, drawing, axis, low, high, language } = props;
  const { domain, log } = drawing;
  const xTicks = axis.ticks(low, high, Math.max(2, Math.floor(props.width / 90)));
  return (
    <LineChart
      width={props.width}
      height={props.height}
      margin={{ top: plotMargin.top, right: plotMargin.right, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <CartesianGrid stroke="var(--rl-border)" strokeDasharray="2 3" vertical={false} />
      <XAxis
        dataKey="x"
        type="number"
        domain={[low, high]}
        allowDataOverflow
        ticks={xTicks}
        tickFormatter={(value: number) => axis.label(value, language)}
        height={plotMargin.bottom}
        tick={tick}
        tickLine={false}
        axisLine={{ stroke: 'var(--rl-border-strong)' }}
        interval="preserveStartEnd"
      />
      <YAxis
        type="number"
        scale={log ? 'log' : 'linear'}
        domain={[domain.low, domain.high]}
        allowDataOverflow
        ticks={[...drawing.yTicks]}
        tickFormatter={(value: number) =>
          spec.unit === 'seconds' || spec.unit === 'bytes'
            ? formatQuantity(value, spec.unit, language)
            : formatNumber(value, language)
        }
        width={plotMargin.left}
        tick={tick}
        tickLine={false}
        axisLine={false}
        interval={0}
      />
      {props.seams.map((x) => (
        <ReferenceLine
          key={`seam ${x}`}
          x={x}
          stroke="var(--rl-accent)"
          strokeDasharray="3 3"
          strokeOpacity={0.8}
        />
      ))}
      {drawing.gaps.map(({ from, to }) =>
        from === to ? (
          <ReferenceLine key={`gap ${from}`} x={from} stroke="var(--rl-state-failed)" strokeOpacity={0.7} />
        ) : (
          <ReferenceArea
            key={`gap ${from}`}
            x1={from}
            x2={to}
            fill="var(--rl-state-failed)"
            fillOpacity={0.13}
            stroke="none"
            ifOverflow="hidden"
          />
        ),
      )}
      <Curves
        spec={spec}
        drawing={drawing}
        low={low}
        high={high}
        area={{
          x: plotMargin.left,
          y: plotMargin.top,
          width: Math.max(1, props.width - plotMargin.left - plotMargin.right),
          height: Math.max(1, props.height - plotMargin.top - plotMargin.bottom),
        }}
      />
    </LineChart>
  );
});
