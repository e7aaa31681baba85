/**
 * A transparent layer over the visible area, for lines that change at every pointer move. Its size and layer stay the same
 * while they change, so that the browser repaints only these lines, without layout or new layers.
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
  /** Draws the content. The argument is the size of a screen pixel in document pixels. */
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
