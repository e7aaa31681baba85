/**
 * A transparent sheet over what is in view, for lines that change at every move of the pointer. It keeps its size and its
 * layer while they change: the browser then paints these lines alone, and neither lays out nor stacks anything else again.
 */
import { useStore, ViewportPortal, type ReactFlowState } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import classes from './Underlay.module.css';

const inView = ({ transform: [x, y, zoom], width, height }: ReactFlowState) => ({
  left: -x / zoom,
  top: -y / zoom,
  width: width / zoom,
  height: height / zoom,
  pixel: 1 / zoom,
});

interface SheetProps {
  readonly level: 'under' | 'over';
  /** What is on it, given how much of the drawing a pixel of the screen is. */
  readonly children: (pixel: number) => ReactNode;
}

export function Sheet(props: SheetProps) {
  const { pixel, ...view } = useStore(useShallow(inView));
  return (
    <ViewportPortal>
      <div className={classes.sheet} data-level={props.level} style={view} aria-hidden>
        <svg
          width={view.width}
          height={view.height}
          viewBox={`${view.left} ${view.top} ${view.width} ${view.height}`}
        >
          <rect
            x={view.left}
            y={view.top}
            width={view.width}
            height={view.height}
            className={classes.ground}
          />
          {props.children(pixel)}
        </svg>
      </div>
    </ViewportPortal>
  );
}
