/** What the run dock shows: one run, the table of all, or several side by side. Kept while the window is open. */
import { create } from 'zustand';
import type { Grouping } from './run-groups.ts';

export type RunsViewName = 'run' | 'table' | 'compare';

export interface RunsView {
  readonly view: RunsViewName;
  /** The runs marked in the table, which are compared. */
  readonly chosen: readonly string[];
  /** The baseline that the others are compared with. */
  readonly baseline: string | undefined;
  /** The setting that the compared runs are grouped by. */
  readonly grouping: Grouping;
  /** Whether the parallel-coordinates chart is shown above the table. */
  readonly parallel: boolean;
}

export const useRunsView = create<RunsView>(() => ({
  view: 'run',
  chosen: [],
  baseline: undefined,
  grouping: 'none',
  parallel: false,
}));

export const showParallel = (parallel: boolean): void => useRunsView.setState({ parallel });
export const showRunsView = (view: RunsViewName): void => useRunsView.setState({ view });
export const choose = (chosen: readonly string[]): void =>
  useRunsView.setState(({ baseline }) => ({
    chosen,
    baseline: baseline !== undefined && chosen.includes(baseline) ? baseline : undefined,
  }));
/** Archived and deleted runs are no longer marked. */
export const unmark = (runs: readonly { readonly id: string }[]): void =>
  choose(useRunsView.getState().chosen.filter((id) => !runs.some((run) => run.id === id)));
export const compareWith = (baseline: string): void => useRunsView.setState({ baseline });
/** Grouping changes the columns: the old baseline is none of them. */
export const groupBy = (grouping: Grouping): void => useRunsView.setState({ grouping, baseline: undefined });
