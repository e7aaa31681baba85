/** Public interface of the comparison of runs. */
export { CompareView } from './CompareView.tsx';
