/** Public interface of the drawing area: the canvas, its palette, and the outline for the keyboard. */
export { Canvas } from './Canvas.tsx';
export { kindIcon } from './NodeCard.tsx';
export { Outline } from './Outline.tsx';
export { Palette } from './Palette.tsx';
