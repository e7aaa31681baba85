export { useExport } from './use-export.tsx';
export {
  choose,
  compareWith,
  groupBy,
  showRunsView,
  showParallel,
  type RunsViewName,
  useRunsView,
} from './runs-view.ts';
export { groupRuns, groupings, spreadOf } from './run-groups.ts';
export { RunColourPicker } from './RunColourPicker.tsx';
export { useRunActions } from './use-run-actions.tsx';
