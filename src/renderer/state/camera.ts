/** The canvas's view, for commands that live outside it. The canvas registers itself while it is there. */
export interface Camera {
  zoomIn(): void;
  zoomOut(): void;
  showAll(): void;
  /** Brings parts into view, as large as they fit. */
  showParts(parts: { readonly nodes: readonly string[]; readonly annotations?: readonly string[] }): void;
  /** The middle of what is seen, in the document's pixels. */
  middle(): { x: number; y: number };
}

let current: Camera | undefined;

/** Returns how to take it away. */
export function setCamera(camera: Camera): () => void {
  current = camera;
  return () => {
    if (current === camera) current = undefined;
  };
}

export const camera = (): Camera | undefined => current;
