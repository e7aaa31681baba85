/** How a user looks at a lab's table of runs: search, list, columns, order. Kept while the window is open, also behind a run. */
import type { SortingState } from '@tanstack/react-table';
import { keptState } from '../../ui/index.ts';
import type { Scope } from './run-filter.ts';

interface TableView {
  readonly query: string;
  readonly scope: Scope;
  readonly allColumns: boolean;
  readonly sorting: SortingState;
}

/** Of a lab's table that was not looked at yet. */
export const firstView: TableView = { query: '', scope: 'open', allColumns: false, sorting: [] };

/** By the lab's id. */
export const useTableView = keptState<TableView>();
