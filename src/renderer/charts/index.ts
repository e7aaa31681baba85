export { RunCharts } from './RunCharts.tsx';
export { useStarts } from './use-starts.ts';
export { CompareCharts } from './CompareCharts.tsx';
export type { ComparedLine } from './compare-list.ts';
export { useWatchWords } from './watch-words.ts';
export { useFeed } from './use-feed.ts';
export { lastOf } from './track.ts';
