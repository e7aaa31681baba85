export { downloadByLink } from './deliver.ts';
export { RunDock, type RunDockProps } from './RunDock.tsx';
