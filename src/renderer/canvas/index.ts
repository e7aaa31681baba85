export { Canvas } from './Canvas.tsx';
export { kindIcon } from './NodeCard.tsx';
export { Outline } from './Outline.tsx';
export { Palette } from './Palette.tsx';
