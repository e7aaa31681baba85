/** How a user looks at a lab's table of runs: search, list, columns, order. Kept while the window is open, also behind a run. */
import type { SortingState } from '@tanstack/react-table';
import { create } from 'zustand';
import type { Scope } from './run-filter.ts';

export interface TableView {
  readonly query: string;
  readonly scope: Scope;
  readonly allColumns: boolean;
  readonly sorting: SortingState;
}

/** The newest labs are kept. */
const maxLabs = 100;
const first: TableView = { query: '', scope: 'open', allColumns: false, sorting: [] };

const useViews = create<{ readonly labs: ReadonlyMap<string, TableView> }>(() => ({ labs: new Map() }));

export const useTableView = (labId: string): TableView => useViews(({ labs }) => labs.get(labId) ?? first);

export function changeTableView(labId: string, change: (now: TableView) => Partial<TableView>): void {
  useViews.setState(({ labs }) => {
    const old = labs.get(labId) ?? first;
    const others = [...labs].filter(([id]) => id !== labId);
    return { labs: new Map([...others, [labId, { ...old, ...change(old) }] as const].slice(-maxLabs)) };
  });
}
