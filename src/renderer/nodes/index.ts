export { NodeLive, type NodeLiveProps } from './NodeLive.tsx';
export { UtilisationPanel } from './UtilisationPanel.tsx';
