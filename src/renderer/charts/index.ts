/** Public interface of the charts of a run, and of several runs compared. */
export { RunCharts } from './panel/RunCharts.tsx';
export { useRunEpochs } from './series/use-run-epochs.ts';
export { useStarts } from './series/use-starts.ts';
export { CompareCharts } from './panel/CompareCharts.tsx';
export type { ComparedLine } from './series/compare-list.ts';
export { useLimitText } from './marks/watch-words.ts';
export { useFeed } from './series/use-feed.ts';
export { lastOf } from './series/track.ts';
export { useOutputs } from './series/use-outputs.ts';
export { exportableCharts, exportKinds } from './card/exportable.ts';
