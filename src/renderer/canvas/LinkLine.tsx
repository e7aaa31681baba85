/** A link on the canvas: a straight line between two cards, with its bandwidth in the middle. */
import { BaseEdge, useInternalNode, useStore, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { LinkTraffic } from '../../shared/node/network.ts';
import { cardSize, type Rectangle } from '../../shared/drawing/card-size.ts';
import { cardGrid, coveredBy, labelPlace, noCards } from '../../shared/drawing/label-place.ts';
import { linkLabel } from '../../shared/drawing/part-labels.ts';
import {
  useBottleneckLinks,
  useIsDrawnOnly,
  useLinkState,
  useLabStore,
  useLinkTraffic,
} from '../state/index.ts';
import { borderPoint, linePath, middle } from './border-points.ts';
import { useLinkShift } from './carried.ts';
import { farBelow } from './fitted-view.ts';
import type { LinkEdge } from './flow-parts.ts';
import { useLinkMarks } from './link-marks.ts';
import classes from './LinkLine.module.css';

const labelHeight = 18;

export const LinkLine = memo(function LinkLine({
  source,
  target,
  data,
  selected,
  interactionWidth,
}: EdgeProps<LinkEdge>) {
  const marks = useLinkMarks();
  const bottlenecks = useBottleneckLinks();
  const network = useLinkState(data?.link.id ?? '');
  const traffic = useLinkTraffic(data?.link.id ?? '');
  const isDrawnOnly = useIsDrawnOnly();
  // Far away the labels are hidden, and thousands of lines would be drawn again whenever a card moves.
  const far = useStore((state) => state.transform[2] < farBelow);
  const cards = useLabStore((state) => (far ? noCards : cardGrid(state.lab?.nodes)));
  const from = useBox(source);
  const to = useBox(target);
  if (from === undefined || to === undefined || data === undefined) return null;
  const start = borderPoint(from, middle(to));
  const end = borderPoint(to, middle(from));
  const isDown = network?.down === true;
  const isBottleneck = bottlenecks.has(data.link.id);
  const { state, lacking } = marks(data.link.id);
  const text = [linkLabel(data.link), ...state].join(' · ');
  // Estimated width: Latin letters and digits of the label's size are about this wide, Chinese ones twice.
  const width = Array.from(text).reduce((sum, letter) => sum + (letter > '\u2e7f' ? 11.5 : 6.1), 14);
  const covered = coveredBy(cards, { [source]: from, [target]: to });
  const at = labelPlace(start, end, { width, height: labelHeight }, covered);
  // Above its line, the captions are above it, too: below is a card.
  const lifted = at.y < Math.min(start.y, end.y) - labelHeight;
  const beside = [
    ...(traffic === undefined || isDown
      ? []
      : [{ caption: trafficLabel(traffic, from.x <= to.x), className: classes.traffic }]),
    ...(lacking === undefined ? [] : [{ caption: lacking, className: classes.lacking }]),
  ];
  return (
    <>
      <BaseEdge
        path={linePath(from, to)}
        className={(isBottleneck ? classes.bottleneck : classes.line) ?? ''}
        data-down={isDown}
        data-drawn-only={isDrawnOnly}
        {...(interactionWidth === undefined ? {} : { interactionWidth })}
      />
      <g
        transform={`translate(${at.x} ${at.y})`}
        className={classes.label}
        data-selected={selected}
        data-bottleneck={isBottleneck}
        data-down={isDown}
      >
        <rect x={-width / 2} y={-9} width={width} height={18} rx={9} />
        <text textAnchor="middle" dominantBaseline="central">
          {text}
        </text>
        {beside.map(({ caption, className }, line) => (
          <text
            key={className}
            textAnchor="middle"
            y={lifted ? -14 - 14 * line : 19 + 14 * line}
            className={className}
          >
            {caption}
          </text>
        ))}
      </g>
    </>
  );
});

/** '→ 9.6 ← 0.3 Mbps': the link's current traffic; the arrows point along the drawn link. */
function trafficLabel({ forward, back }: LinkTraffic, isForwardRight: boolean): string {
  const [right, left] = isForwardRight ? [forward, back] : [back, forward];
  return `→ ${megabits(right)} ← ${megabits(left)} Mbps`;
}
const megabits = (bitsPerSecond: number): string => {
  const value = bitsPerSecond / 1e6;
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
};

function useBox(nodeId: string): Rectangle | undefined {
  const node = useInternalNode(nodeId);
  const shift = useLinkShift(nodeId);
  if (node === undefined) return undefined;
  const { x, y } = node.internals.positionAbsolute;
  return {
    x: x + (shift?.dx ?? 0),
    y: y + (shift?.dy ?? 0),
    width: node.measured.width ?? cardSize.width,
    height: node.measured.height ?? cardSize.height,
  };
}
