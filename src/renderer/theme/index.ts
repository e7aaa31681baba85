export { mantineTheme } from './mantine.ts';
export { nodeColour } from './node-colour.ts';
export { nodeLook, nodeStates, rankLook, runLook, StateIcon, type Look, type NodeState } from './states.tsx';
