export { Canvas } from './Canvas.tsx';
export { Palette } from './Palette.tsx';
export { kindIcon, hardware } from './NodeCard.tsx';
export { linkLabel } from './LinkLine.tsx';
export { useLinking } from './linking.ts';
