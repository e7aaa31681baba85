/**
 * The drawing when it is zoomed out so far that text cannot be read: all cards and links as one picture, since compositing
 * 1,500 elements takes longer than a frame. React Flow's own parts lie over it, invisible, for the pointer, the keyboard and
 * screen readers; hovered, selected and dragged ones are visible.
 */
import { cardSize, type Rectangle } from '../../shared/drawing/card-size.ts';
import { seriesColour } from '../../shared/base/series-colour.ts';
import { ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { useBottleneckLinks, useIsDrawnOnly, useLinkStates } from '../state/index.ts';
import { linePath } from './border-points.ts';
import { useAllShifts, useCarriedIds } from './carried.ts';
import type { CardNode, LinkEdge } from './flow-parts.ts';
import classes from './FarView.module.css';
import { Sheet } from './Sheet.tsx';

interface FarViewProps {
  readonly cards: readonly CardNode[];
  readonly edges: readonly LinkEdge[];
}

export const FarView = memo(function FarView({ cards, edges }: FarViewProps) {
  const carried = useCarriedIds();
  const boxes = useMemo(() => new Map(cards.map((card) => [card.id, boxOf(card)])), [cards]);
  const touches = ({ source, target }: LinkEdge): boolean => carried.has(source) || carried.has(target);
  return (
    <>
      <ViewportPortal>
        <svg className={classes.picture} aria-hidden>
          <Lines edges={edges} boxes={boxes} without={carried} />
          {cards.map((card) => (carried.has(card.id) ? null : <Card key={card.id} card={card} />))}
        </svg>
      </ViewportPortal>
      {carried.size > 0 && <CarriedLines edges={edges.filter(touches)} boxes={boxes} />}
    </>
  );
});

/** The links of dragged cards, in a picture of their own: the large one is not repainted. */
function CarriedLines({
  edges,
  boxes,
}: {
  edges: readonly LinkEdge[];
  boxes: ReadonlyMap<string, Rectangle>;
}) {
  const shifts = useAllShifts();
  const moved = new Map(boxes);
  for (const [id, { dx, dy }] of Object.entries(shifts)) {
    const box = boxes.get(id);
    if (box !== undefined) moved.set(id, { ...box, x: box.x + dx, y: box.y + dy });
  }
  return <Sheet level="under">{() => <Lines edges={edges} boxes={moved} />}</Sheet>;
}

const none: ReadonlySet<string> = new Set();

const Lines = memo(function Lines(props: {
  readonly edges: readonly LinkEdge[];
  readonly boxes: ReadonlyMap<string, Rectangle>;
  /** Cards whose links are left out. */
  readonly without?: ReadonlySet<string>;
}) {
  const { edges, boxes, without = none } = props;
  const bottlenecks = useBottleneckLinks();
  const states = useLinkStates();
  const isDrawnOnly = useIsDrawnOnly();
  const down = useMemo(
    () => new Set(states?.filter((state) => state.down).map(({ linkId }) => linkId)),
    [states],
  );
  const paths = useMemo(
    () =>
      edges.map(({ source, target }) => {
        const [from, to] = [boxes.get(source), boxes.get(target)];
        return from === undefined || to === undefined ? undefined : linePath(from, to);
      }),
    [edges, boxes],
  );
  return edges.map(({ id, source, target, selected }, index) => {
    const path = paths[index];
    if (path === undefined || without.has(source) || without.has(target)) return null;
    return (
      <Line
        key={id}
        path={path}
        bottleneck={bottlenecks.has(id)}
        down={down.has(id)}
        selected={selected === true}
        drawnOnly={isDrawnOnly}
      />
    );
  });
});

interface LineProps {
  readonly path: string;
  readonly bottleneck: boolean;
  readonly down: boolean;
  readonly selected: boolean;
  readonly drawnOnly: boolean;
}

/** A single path for all links would be drawn whole into each screen tile that it touches. */
const Line = memo(function Line({ path, bottleneck, down, selected, drawnOnly }: LineProps) {
  return (
    <path
      d={path}
      className={classes.line}
      data-bottleneck={bottleneck || undefined}
      data-down={down || undefined}
      data-selected={selected || undefined}
      data-drawn-only={drawnOnly || undefined}
    />
  );
});

const Card = memo(function Card({ card }: { readonly card: CardNode }) {
  const { x, y, width, height } = boxOf(card);
  const isSwitch = card.data.node.kind === 'switch';
  return (
    <>
      <rect x={x + 0.5} y={y + 0.5} width={width - 1} height={height - 1} rx={5.5} className={classes.card} />
      <rect
        x={x}
        y={y}
        width={stripe}
        height={height}
        rx={5}
        fill={isSwitch ? 'var(--rl-state-idle)' : seriesColour(card.data.index)}
      />
    </>
  );
});

/** The width of a node's colour stripe; the same in Canvas.module.css. */
const stripe = 20;

const boxOf = ({ position, measured }: CardNode): Rectangle => ({
  ...position,
  width: measured?.width ?? cardSize.width,
  height: measured?.height ?? cardSize.height,
});
