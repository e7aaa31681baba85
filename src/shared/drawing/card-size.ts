/** A node card's size on the canvas and in pictures of it, in pixels: multiples of the canvas's grid step. */
export const cardSize = { width: 180, height: 100 } as const;

/** In pixels of the document. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
