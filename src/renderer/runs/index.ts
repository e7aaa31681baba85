export { RunDock, type RunDockProps } from './RunDock.tsx';
