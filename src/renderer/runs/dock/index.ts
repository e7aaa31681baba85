export { RunDock } from './RunDock.tsx';
