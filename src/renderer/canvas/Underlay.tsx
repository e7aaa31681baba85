/** What is drawn around and between cards while they are moved: the frames of groups, and lines that a card is on. */
import { useViewport, ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { create } from 'zustand';
import type { Guide } from './guides.ts';
import classes from './Underlay.module.css';
import type { CardNode } from './flow-parts.ts';
import { frames } from './moves.ts';

const useGuides = create<{ readonly guides: readonly Guide[] }>(() => ({ guides: [] }));
export function showGuides(guides: readonly Guide[]): void {
  if (guides.length > 0 || useGuides.getState().guides.length > 0) useGuides.setState({ guides });
}

export const GroupFrames = memo(function GroupFrames({ cards }: { cards: readonly CardNode[] }) {
  const shown = useMemo(
    () => frames(cards.map(({ id, position, data }) => ({ id, position, group: data.node.group ?? '' }))),
    [cards],
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

export function Guides() {
  const guides = useGuides((state) => state.guides);
  return guides.length === 0 ? null : <Lines guides={guides} />;
}

/** Beyond the cards by this much, so that the line is seen to join them. */
const beyond = 14;

function Lines({ guides }: { guides: readonly Guide[] }) {
  const { zoom } = useViewport();
  const thickness = 1 / zoom;
  return (
    <ViewportPortal>
      {guides.map(({ axis, at, from, to }) => (
        <div
          key={`${axis} ${at}`}
          className={classes.guide}
          data-guide={axis}
          style={
            axis === 'x'
              ? {
                  transform: `translate(${at}px, ${from - beyond}px)`,
                  width: thickness,
                  height: to - from + 2 * beyond,
                }
              : {
                  transform: `translate(${from - beyond}px, ${at}px)`,
                  height: thickness,
                  width: to - from + 2 * beyond,
                }
          }
        />
      ))}
    </ViewportPortal>
  );
}
