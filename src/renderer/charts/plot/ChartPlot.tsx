/**
 * The picture of one chart: recharts' surface and curves. recharts' axes and `LineChart` are not used: they keep a store for
 * each chart and render several times until all of them agree, which takes several times as long as the curves.
 */
import { memo } from 'react';
import { Surface } from 'recharts';
import type { Language } from '../../../shared/base/language.ts';
import type { Axis } from '../scale/axis.ts';
import type { ChartSpec } from '../series/chart-list.ts';
import { Curves } from './Curves.tsx';
import type { Drawing } from './drawing.ts';
import { labelled } from '../scale/scale.ts';
import { placeIn, plotMargin } from '../scale/plot-place.ts';
import { tickLabels } from '../scale/tick-labels.ts';
import { PlotAxes } from './PlotAxes.tsx';

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

export const ChartPlot = memo(function ChartPlot(props: ChartPlotProps) {
  const { spec, drawing, axis, low, high, language } = props;
  const area = {
    x: plotMargin.left,
    y: plotMargin.top,
    width: Math.max(1, props.width - plotMargin.left - plotMargin.right),
    height: Math.max(1, props.height - plotMargin.top - plotMargin.bottom),
  };
  const place = placeIn(area, low, high, drawing.domain, drawing.log);
  const right = area.x + area.width;
  const bottom = area.y + area.height;
  const inside = (x: number): number => Math.max(area.x, Math.min(right, place.toX(x)));
  const isSeen = (x: number): boolean => x >= low && x <= high;
  const upright = (x: number) => ({ x1: place.toX(x), x2: place.toX(x), y1: area.y, y2: bottom });
  return (
    <Surface width={props.width} height={props.height}>
      <PlotAxes
        area={area}
        xTicks={axis
          .ticks(low, high, Math.max(2, Math.floor(props.width / 90)))
          .map((value) => ({ at: place.toX(value), label: axis.label(value, language) }))}
        yTicks={labelled(drawing.yTicks, tickLabels(drawing.yTicks, spec.unit, drawing.log, language)).map(
          ({ value, label }) => ({ at: place.toY(value), label }),
        )}
      />
      {[...new Set(props.seams)].filter(isSeen).map((x) => (
        <line
          key={`seam ${x}`}
          {...upright(x)}
          stroke="var(--rl-accent)"
          strokeDasharray="3 3"
          strokeOpacity={0.8}
        />
      ))}
      {drawing.gaps
        .filter(({ from, to }) => to >= low && from <= high)
        .map(({ from, to }) =>
          from === to ? (
            <line
              key={`gap ${from}`}
              {...upright(from)}
              stroke="var(--rl-state-failed)"
              strokeOpacity={0.7}
            />
          ) : (
            <rect
              key={`gap ${from}`}
              x={inside(from)}
              y={area.y}
              width={inside(to) - inside(from)}
              height={area.height}
              fill="var(--rl-state-failed)"
              fillOpacity={0.13}
            />
          ),
        )}
      <Curves spec={spec} drawing={drawing} area={area} place={place} />
    </Surface>
  );
});
