/** The canvas's view, for commands outside of the canvas. The canvas registers itself while it is mounted. */
import type { Rectangle } from '../../shared/drawing/card-size.ts';

export interface Camera {
  zoomIn(): void;
  zoomOut(): void;
  showAll(): void;
  /** Fits parts into the view, as large as possible. */
  showParts(parts: { readonly nodes: readonly string[]; readonly annotations?: readonly string[] }): void;
  /** The middle of the visible area, in document pixels. */
  middle(): { x: number; y: number };
  /** The visible area, in document pixels. */
  visible(): Rectangle;
}

let current: Camera | undefined;

/** Returns a function that removes it. */
export function setCamera(camera: Camera): () => void {
  current = camera;
  return () => {
    if (current === camera) current = undefined;
  };
}

export const camera = (): Camera | undefined => current;
