export { Canvas } from './Canvas.tsx';
export { Outline } from './Outline.tsx';
export { Palette } from './Palette.tsx';
