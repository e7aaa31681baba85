/** All runs of a lab in a table: sorted, filtered, marked for comparing, with the settings that differ standing out. */
import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconStar, IconStarFilled } from '@tabler/icons-react';
import { useTable, type SortingState } from '@tanstack/react-table';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../shared/api.ts';
import { differing, settingOf, usualSetting, type SettingName } from '../../shared/run-settings.ts';
import { isUnderWay } from '../../shared/run.ts';
import { useSize } from '../charts/index.ts';
import { useSyncWords } from '../inspector/index.ts';
import { sortRuns, useLanguage, useNow, useRunStore } from '../state/index.ts';
import { runLook, StateIcon } from '../theme/index.ts';
import { choose, showDesk, useDesk } from './desk.ts';
import { visibleRows } from './log-tail.ts';
import { RunColourPicker } from './RunColourPicker.tsx';
import { inScope, matches, type Scope } from './run-filter.ts';
import {
  cellText,
  columnLabel,
  columnsShown,
  features,
  isSetting,
  makeColumns,
  type ColumnName,
} from './table-columns.tsx';
import classes from './table.module.css';
import { TableTools } from './TableTools.tsx';
import { useBin } from './use-bin.ts';
import { useRunDeeds } from './use-run-deeds.tsx';

/** Pixels; the style sheet sets the same. */
const rowHeight = 30;

export interface RunTableProps {
  readonly labId: string;
  readonly onSelectRun: (runId: string) => void;
}

export function RunTable({ labId, onSelectRun }: RunTableProps) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [scope, setScope] = useState<Scope>('open');
  const [allColumns, setAllColumns] = useState(false);
  const [sorting, setSorting] = useState<SortingState>([]);
  const chosen = useDesk((desk) => desk.chosen);
  const summaries = useRunStore((state) => state.summaries);
  const bin = useBin(labId, scope === 'bin');
  const listed = useMemo(() => {
    const kept = scope === 'bin' ? bin.runs : Object.values(summaries).filter((run) => run.labId === labId);
    return sortRuns(kept).filter(
      (run) => inScope(run, scope) && matches(run, query, t(`lab.runState.${run.state}`)),
    );
  }, [summaries, bin.runs, labId, scope, query, t]);
  const now = useNow(listed.some((run) => isUnderWay(run.state)));
  const differ = useMemo(() => differing(listed), [listed]);
  const usual = useMemo(
    () => new Map([...differ].map((name) => [name, usualSetting(listed, name)])),
    [differ, listed],
  );
  const names = useMemo(() => columnsShown(differ, allColumns), [differ, allColumns]);
  const clock = useRef(now);
  clock.current = now;
  const columns = useMemo(() => makeColumns(names, () => clock.current), [names]);
  const table = useTable({
    features,
    columns,
    data: listed,
    getRowId: (run) => run.id,
    state: { sorting },
    onSortingChange: setSorting,
  });
  const rows = table.getRowModel().rows;
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const seen = visibleRows(rows.length, rowHeight, top, Math.max(height, rowHeight));
  const chosenHere = useMemo(() => new Set(chosen), [chosen]);
  const toggle = useCallback((runId: string) => {
    const now = useDesk.getState().chosen;
    choose(now.includes(runId) ? now.filter((id) => id !== runId) : [...now, runId]);
  }, []);
  const open = useCallback(
    (runId: string) => {
      onSelectRun(runId);
      showDesk('run');
    },
    [onSelectRun],
  );
  const marked = rows.map((row) => row.original).filter((run) => chosenHere.has(run.id));
  const allMarked = rows.length > 0 && marked.length === rows.length;
  return (
    <div className={classes.panel}>
      <TableTools
        labId={labId}
        query={query}
        onQuery={setQuery}
        scope={scope}
        onScope={setScope}
        allColumns={allColumns}
        onAllColumns={setAllColumns}
        count={rows.length}
        marked={marked}
        onBinChanged={bin.reload}
      />
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
                  onChange={() => choose(allMarked ? [] : rows.map((row) => row.id))}
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
          <tbody>
            {seen.from > 0 && <Spacer rows={seen.from} columns={names.length + 2} />}
            {rows.slice(seen.from, seen.to).map((row, index) => (
              <Row
                key={row.id}
                run={row.original}
                index={seen.from + index}
                names={names}
                usual={usual}
                marked={chosenHere.has(row.id)}
                now={isUnderWay(row.original.state) ? now : 0}
                today={Math.floor(now / 3600)}
                onMark={toggle}
                onOpen={scope === 'bin' ? undefined : open}
              />
            ))}
            {seen.to < rows.length && <Spacer rows={rows.length - seen.to} columns={names.length + 2} />}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p className={classes.empty} aria-busy={bin.loading}>
            {query === '' ? t(`runTable.none.${scope}`) : t('runs.list.noMatch')}
          </p>
        )}
      </div>
    </div>
  );
}

/** Stands for rows that are scrolled out of sight. */
const Spacer = ({ rows, columns }: { rows: number; columns: number }) => (
  <tr aria-hidden>
    <td colSpan={columns} style={{ height: rows * rowHeight, padding: 0, border: 0 }} />
  </tr>
);

interface RowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly names: readonly ColumnName[];
  readonly usual: ReadonlyMap<SettingName, string | number | undefined>;
  readonly marked: boolean;
  /** 0 where it stands still: such rows are not drawn again each second. */
  readonly now: number;
  /** Hours since 1970: decides whether a day is said. */
  readonly today: number;
  readonly onMark: (runId: string) => void;
  readonly onOpen: ((runId: string) => void) | undefined;
}

const Row = memo(function Row(props: RowProps) {
  const { run, names, usual, onOpen } = props;
  const { t } = useTranslation();
  const language = useLanguage();
  const syncWords = useSyncWords();
  const deeds = useRunDeeds();
  const look = runLook[run.state];
  const starred = run.starred === true;
  const Star = starred ? IconStarFilled : IconStar;
  const star = t(starred ? 'runTable.unstarRun' : 'runTable.starRun', { name: run.name });
  return (
    <tr data-run={run.id} data-marked={props.marked} aria-rowindex={props.index + 2}>
      <td className={classes.mark}>
        <Checkbox
          size="xs"
          aria-label={t('runTable.markRun', { name: run.name })}
          checked={props.marked}
          onChange={() => props.onMark(run.id)}
        />
      </td>
      <td className={classes.mark}>
        <button
          type="button"
          className={classes.star}
          aria-label={star}
          aria-pressed={starred}
          disabled={onOpen === undefined}
          onClick={() => void deeds.annotate(run.id, { starred: !starred })}
        >
          <Star size={14} aria-hidden />
        </button>
      </td>
      {names.map((name) => {
        if (name === 'name')
          return (
            <th
              key={name}
              scope="row"
              className={classes.name}
              title={run.notes === '' ? undefined : run.notes}
            >
              <RunColourPicker run={run} />
              <button
                type="button"
                className={classes.open}
                disabled={onOpen === undefined}
                onClick={() => onOpen?.(run.id)}
              >
                {run.name}
              </button>
              {(run.tags ?? []).map((tag) => (
                <span key={tag} className={classes.tag}>
                  {tag}
                </span>
              ))}
            </th>
          );
        if (name === 'state')
          return (
            <td key={name}>
              <span className={classes.state} style={{ color: look.colour }}>
                <StateIcon look={look} size={13} />
                {t(`lab.runState.${run.state}`)}
              </span>
            </td>
          );
        const stands = isSetting(name) && usual.has(name);
        return (
          <td
            key={name}
            data-column={name}
            data-differs={stands && settingOf(run, name) !== usual.get(name)}
            className={classes.value}
          >
            {cellText(run, name, {
              language,
              now: name === 'created' ? props.today * 3600 : props.now,
              syncWords,
            })}
          </td>
        );
      })}
    </tr>
  );
});
