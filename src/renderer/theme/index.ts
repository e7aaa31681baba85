/** Public interface of the colours: of states, runs, notes and of Mantine's controls. */
export { annotationColour, annotationToken } from './annotation-colour.ts';
export { mantineTheme } from './mantine.ts';
export { runPalette, runStrokes, type RunStroke } from './run-colour.ts';
export { nodeLook, rankLook, runLook, StateIcon, type Look, type NodeState } from './states.tsx';
