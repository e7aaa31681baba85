export { NodeLive, type NodeLiveProps } from './NodeLive.tsx';
