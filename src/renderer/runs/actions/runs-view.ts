/** What the run dock shows: one run, the table of all, or several side by side. Kept while the window is open. */
import { create } from 'zustand';
import type { Grouping } from './run-groups.ts';

export type RunsViewName = 'run' | 'table' | 'compare';

export interface RunsView {
  readonly view: RunsViewName;
  /** Runs marked in the table: what is compared. */
  readonly chosen: readonly string[];
  /** What the others are measured against. */
  readonly baseline: string | undefined;
  /** What the compared runs are put together by. */
  readonly grouping: Grouping;
  /** Whether the table's runs stand above it as lines across their settings. */
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
/** What was put away is no longer meant. */
export const unmark = (runs: readonly { readonly id: string }[]): void =>
  choose(useRunsView.getState().chosen.filter((id) => !runs.some((run) => run.id === id)));
export const compareWith = (baseline: string): void => useRunsView.setState({ baseline });
/** Columns are others then: what was the baseline is none of them. */
export const groupBy = (grouping: Grouping): void => useRunsView.setState({ grouping, baseline: undefined });
