/** Drawn around and between cards while they are moved: group frames and alignment guides. */
import { frames } from '../../shared/drawing/group-frames.ts';
import { ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { create } from 'zustand';
import { useAllShifts, useCarriedIds } from './carried.ts';
import type { Guide } from './guides.ts';
import classes from './Underlay.module.css';
import type { CardNode } from './flow-parts.ts';
import { ofPart } from './positions.ts';
import { Sheet } from './Sheet.tsx';

const useGuides = create<{ readonly guides: readonly Guide[] }>(() => ({ guides: [] }));
export function showGuides(guides: readonly Guide[]): void {
  if (guides.length > 0 || useGuides.getState().guides.length > 0) useGuides.setState({ guides });
}

export const GroupFrames = memo(function GroupFrames({ cards }: { cards: readonly CardNode[] }) {
  const shifts = useAllShifts();
  const grouped = useMemo(() => cards.filter(({ data }) => (data.node.group ?? '') !== ''), [cards]);
  const shown = useMemo(
    () =>
      frames(
        grouped.map(({ id, position: { x, y }, data: { node } }) => {
          const { dx, dy } = ofPart(shifts, id) ?? { dx: 0, dy: 0 };
          return { id, position: { x: x + dx, y: y + dy }, group: node.group ?? '' };
        }),
      ),
    [grouped, shifts],
  );
  if (shown.length === 0) return null;
  return (
    <ViewportPortal>
      {shown.map(({ group, x, y, width, height }) => (
        <div
          key={group}
          className={classes.frame}
          style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
        >
          <span className={classes.group}>{group}</span>
        </div>
      ))}
    </ViewportPortal>
  );
});

/** How far a guide extends beyond the cards, so that it visibly joins them. */
const beyond = 14;

export function Guides() {
  const guides = useGuides((state) => state.guides);
  const carrying = useCarriedIds().size > 0;
  if (guides.length === 0 && !carrying) return null;
  return (
    <Sheet level="over">
      {(pixel) =>
        guides.map(({ axis, at, from, to }) => {
          const [start, length] = [from - beyond, to - from + 2 * beyond];
          return (
            <rect
              key={`${axis} ${at}`}
              className={classes.guide}
              data-guide={axis}
              {...(axis === 'x'
                ? { x: at, y: start, width: pixel, height: length }
                : { x: start, y: at, width: length, height: pixel })}
            />
          );
        })
      }
    </Sheet>
  );
}
