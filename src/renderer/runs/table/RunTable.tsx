/** All runs of a lab in a table: sorted, filtered, marked for comparison, with the settings that differ highlighted. */
import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTable } from '@tanstack/react-table';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commonSetting, differing, isSetting } from '../../../shared/run/run-settings.ts';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isUnderWay, shownState } from '../../../shared/run/run.ts';
import { EmptyNote, useSize, visibleRows } from '../../ui/index.ts';
import {
  mark,
  showParallel,
  showRunsView,
  sortRuns,
  useNow,
  useQuarter,
  useRunStore,
  useRunsView,
} from '../../state/index.ts';
import { useRunMenu } from '../actions/index.ts';
import { ParallelRuns } from './ParallelRuns.tsx';
import { RunRow } from './RunRow.tsx';
import { chooseColumns, useColumnChoice } from './column-choice.ts';
import { allMarkedAfter, markedAfter } from './mark-range.ts';
import { comparedNames, inScope, matches } from './run-filter.ts';
import {
  firstColumns,
  namesIn,
  namesWanted,
  type ScalarColumn,
  type ValuesOfRuns,
} from './scalar-columns.ts';
import { columnLabel, columnsShown, features, makeColumns } from './table-columns.tsx';
import classes from './table.module.css';
import { TableTools } from './TableTools.tsx';
import { firstView, useTableView } from './table-view.ts';
import { useBin } from './use-bin.ts';
import { useScalarValues } from './use-scalar-values.ts';

/** Pixels; the style sheet sets the same. */
const rowHeight = 30;

export interface RunTableProps {
  readonly labId: string;
  readonly onSelectRun: (runId: string) => void;
}

export function RunTable({ labId, onSelectRun }: RunTableProps) {
  const { t } = useTranslation();
  const [{ query, scope, allColumns, sorting }, changeView] = useTableView(labId, firstView);
  const chosen = useRunsView((desk) => desk.marked);
  const parallel = useRunsView((desk) => desk.parallel);
  const summaries = useRunStore((state) => state.summaries);
  const bin = useBin(labId, scope === 'bin');
  const kept = useMemo(
    () =>
      sortRuns(
        scope === 'bin' ? bin.runs : Object.values(summaries).filter((run) => run.labId === labId),
      ).filter((run) => inScope(run, scope)),
    [summaries, bin.runs, labId, scope],
  );
  const { values, names: scalarNames, columns: scalars } = useScalarColumns(labId, kept, query);
  const listed = useMemo(
    () => kept.filter((run) => matches(run, query, t(`runStates.${shownState(run)}`), values.get(run.id))),
    [kept, query, values, t],
  );
  const now = useNow(listed.some((run) => isUnderWay(run.state)));
  const today = useQuarter();
  const differ = useMemo(() => differing(listed), [listed]);
  const common = useMemo(
    () => new Map([...differ].map((name) => [name, commonSetting(listed, name)])),
    [differ, listed],
  );
  const names = useMemo(
    () => columnsShown(listed, { differ, all: allColumns, scalars }),
    [listed, differ, allColumns, scalars],
  );
  const clock = useRef(now);
  clock.current = now;
  const columns = useMemo(() => makeColumns(names, values, () => clock.current), [names, values]);
  const table = useTable({
    features,
    columns,
    data: listed,
    getRowId: (run) => run.id,
    state: { sorting },
    onSortingChange: (next) =>
      changeView((view) => ({
        ...view,
        sorting: typeof next === 'function' ? next(view.sorting) : next,
      })),
  });
  const rows = table.getRowModel().rows;
  const { events, menu } = useRunMenu(labId);
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const seen = visibleRows(rows.length, rowHeight, top, Math.max(height, rowHeight));
  const chosenHere = useMemo(() => new Set(chosen), [chosen]);
  const order = useRef<readonly string[]>([]);
  order.current = rows.map((row) => row.id);
  const before = useRef<string>(undefined);
  const toggle = useCallback((runId: string, more: boolean) => {
    const from = more ? before.current : undefined;
    mark(markedAfter(useRunsView.getState().marked, order.current, runId, from));
    before.current = runId;
  }, []);
  const open = useCallback(
    (runId: string) => {
      onSelectRun(runId);
      showRunsView('run');
    },
    [onSelectRun],
  );
  const marked = rows.map((row) => row.original).filter((run) => chosenHere.has(run.id));
  const allMarked = rows.length > 0 && marked.length === rows.length;
  return (
    <div className={classes.panel}>
      {menu}
      <TableTools
        labId={labId}
        query={query}
        onQuery={(next) => changeView((view) => ({ ...view, query: next }))}
        scope={scope}
        onScope={(next) => changeView((view) => ({ ...view, scope: next }))}
        allColumns={allColumns}
        onAllColumns={(next) => changeView((view) => ({ ...view, allColumns: next }))}
        scalarNames={scalarNames}
        scalars={scalars}
        onScalars={(chosen) => chooseColumns(labId, chosen)}
        parallel={parallel}
        onParallel={showParallel}
        count={rows.length}
        marked={marked}
        onBinChanged={bin.reload}
      />
      {parallel && scope !== 'bin' && listed.length > 0 && (
        <ParallelRuns
          runs={listed}
          differ={differ}
          scalars={scalars}
          values={values}
          marked={chosenHere}
          onMark={mark}
          onOpen={open}
        />
      )}
      <div
        ref={box}
        className={classes.scroll}
        tabIndex={0}
        role="region"
        aria-label={t('runTable.title')}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <table className={classes.table} aria-label={t('runTable.title')} aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              <th className={classes.mark}>
                <Checkbox
                  size="xs"
                  aria-label={t('runTable.markAll')}
                  checked={allMarked}
                  indeterminate={marked.length > 0 && !allMarked}
                  onChange={() => mark(allMarkedAfter(chosen, order.current))}
                />
              </th>
              <th className={classes.mark}>
                <span className={classes.hidden}>{t('runTable.star')}</span>
              </th>
              {table.getHeaderGroups()[0]?.headers.map((header) => {
                const name = names.find((one) => one === header.column.id) ?? 'name';
                const sorted = header.column.getIsSorted();
                const differs = isSetting(name) && differ.has(name);
                return (
                  <th
                    key={header.id}
                    scope="col"
                    data-column={name}
                    data-differs={differs}
                    aria-sort={sorted === false ? 'none' : sorted === 'asc' ? 'ascending' : 'descending'}
                  >
                    <button
                      type="button"
                      title={differs ? t('runTable.differs') : undefined}
                      onClick={header.column.getToggleSortingHandler()}
                    >
                      {columnLabel(t, name)}
                      {sorted === 'asc' && <IconArrowUp size={12} aria-hidden />}
                      {sorted === 'desc' && <IconArrowDown size={12} aria-hidden />}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody {...(scope === 'bin' ? {} : events)}>
            {seen.from > 0 && <Spacer rows={seen.from} columns={names.length + 2} />}
            {rows.slice(seen.from, seen.to).map((row, index) => (
              <RunRow
                key={row.id}
                run={row.original}
                index={seen.from + index}
                names={names}
                common={common}
                scalars={values.get(row.id)}
                marked={chosenHere.has(row.id)}
                now={isUnderWay(row.original.state) ? now : 0}
                today={today}
                onMark={toggle}
                onOpen={scope === 'bin' ? undefined : open}
              />
            ))}
            {seen.to < rows.length && <Spacer rows={rows.length - seen.to} columns={names.length + 2} />}
          </tbody>
        </table>
        {rows.length === 0 && (
          <EmptyNote aria-busy={bin.loading}>
            {query === '' ? t(`runTable.none.${scope}`) : t('runs.list.noMatch')}
          </EmptyNote>
        )}
      </div>
    </div>
  );
}

const noColumns: readonly ScalarColumn[] = [];

/** The scalars of the listed scripts' runs: their names, the columns that are shown, and what the search needs. */
function useScalarColumns(
  labId: string,
  runs: readonly RunSummary[],
  query: string,
): {
  readonly values: ValuesOfRuns;
  readonly names: readonly string[];
  readonly columns: readonly ScalarColumn[];
} {
  const chosen = useColumnChoice(labId);
  const [wanted, setWanted] = useState<readonly string[]>([]);
  const values = useScalarValues(runs, wanted);
  const names = useMemo(() => namesIn(values), [values]);
  const columns = useMemo(
    () => (names.length === 0 ? noColumns : (chosen ?? firstColumns(names))),
    [chosen, names],
  );
  useEffect(() => {
    const compared = comparedNames(query);
    const next = namesWanted(
      columns,
      names.filter((name) => compared.includes(name.toLowerCase())),
    );
    setWanted((now) => (now.join('\n') === next.join('\n') ? now : next));
  }, [columns, names, query]);
  return { values, names, columns };
}

/** Takes the place of rows that are scrolled out of sight. */
const Spacer = ({ rows, columns }: { rows: number; columns: number }) => (
  <tr aria-hidden>
    <td colSpan={columns} style={{ height: rows * rowHeight, padding: 0, border: 0 }} />
  </tr>
);
