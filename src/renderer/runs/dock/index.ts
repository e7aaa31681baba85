/** Public interface of the dock below the canvas, which shows the lab's runs. */
export { RunDock } from './RunDock.tsx';
