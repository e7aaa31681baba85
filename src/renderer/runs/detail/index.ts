/** Public interface of the view of one run. */
export { RunView } from './RunView.tsx';
