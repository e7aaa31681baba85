export { RunCharts } from './RunCharts.tsx';
export { readStarts, useStarts, type Starts } from './use-starts.ts';
export { useSize } from './use-size.ts';
export {
  formatBytes,
  formatClock,
  formatDuration,
  formatMoment,
  formatNumber,
  formatPercent,
  formatQuantity,
} from './quantity.ts';
export { CompareCharts } from './CompareCharts.tsx';
export type { ComparedLine } from './compare-list.ts';
export { useWatchWords } from './watch-words.ts';
export { useFeed } from './use-feed.ts';
export { lastOf } from './track.ts';
