/** The columns of the table of runs: their cells, their sort order, and which are shown by default. */
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import type { TFunction } from 'i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import type { Language } from '../../../shared/base/language.ts';
import { settingNames, settingOf, type SettingName } from '../../../shared/run/run-settings.ts';
import { isEnded } from '../../../shared/run/run.ts';
import { formatDuration, formatMoment, formatNumber, formatPercent } from '../../ui/index.ts';

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

/** Seconds that a run took, or has taken so far. */
export function tookOf(run: RunSummary, now: number): number | undefined {
  if (run.startedAt === undefined) return undefined;
  return (run.endedAt ?? (isEnded(run.state) ? run.startedAt : now)) - run.startedAt;
}

const resultNames = ['name', 'state', 'created', 'took', 'epochsDone', 'best', 'loss'] as const;
type ResultName = (typeof resultNames)[number];
export type ColumnName = ResultName | SettingName;
export const isSetting = (name: string): name is SettingName =>
  (settingNames as readonly string[]).includes(name);

/** These settings are shown even if all runs agree. */
const always: readonly SettingName[] = ['architecture', 'worldSize', 'batchSize', 'learningRate', 'sync'];

/** @param differ settings that not all listed runs share */
export const columnsShown = (differ: ReadonlySet<SettingName>, all: boolean): readonly ColumnName[] => [
  ...resultNames,
  ...settingNames.filter((name) => all || always.includes(name) || differ.has(name)),
];

export function columnLabel(t: TFunction, name: ColumnName): string {
  if (!isSetting(name)) return t(`runTable.column.${name}`);
  return t(`settingNames.${name}`);
}

/** Sorted by meaning, not by text. */
function sortValue(run: RunSummary, name: ColumnName, now: number): string | number | undefined {
  if (isSetting(name)) return settingOf(run, name);
  switch (name) {
    case 'name':
      return run.name.toLowerCase();
    case 'state':
      return run.state;
    case 'created':
      return run.startedAt;
    case 'took':
      return tookOf(run, now);
    case 'epochsDone':
      return run.epochsCompleted / run.epochs;
    case 'best':
      return run.bestTop1 ?? undefined;
    case 'loss':
      return run.loss ?? undefined;
  }
}

const helper = createColumnHelper<typeof features, RunSummary>();

export const makeColumns = (names: readonly ColumnName[], now: () => number) =>
  helper.columns(
    names.map((name) =>
      helper.accessor((run) => sortValue(run, name, now()), {
        id: name,
        sortUndefined: 'last',
        sortFn: (a, b, column) => order(a.getValue(column), b.getValue(column)),
      }),
    ),
  );

const collator = new Intl.Collator(undefined, { numeric: true });
const order = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));

/** The text of a cell that contains only text. */
export function cellText(
  run: RunSummary,
  name: Exclude<ColumnName, 'name' | 'state'>,
  { language, now, modeText }: { language: Language; now: number; modeText: (sync: string) => string },
): string {
  const missing = '–';
  if (name === 'sync') return modeText(run.experiment.sync);
  if ((name === 'nodes' || name === 'worldSize') && run[name] === 0) return missing;
  if (isSetting(name)) return String(settingOf(run, name));
  switch (name) {
    case 'created':
      return run.startedAt === undefined ? missing : formatMoment(run.startedAt, language, now);
    case 'took': {
      const took = tookOf(run, now);
      return took === undefined ? missing : formatDuration(took, language);
    }
    case 'epochsDone':
      return `${run.epochsCompleted}/${run.epochs}`;
    case 'best':
      return typeof run.bestTop1 === 'number' ? formatPercent(run.bestTop1, language) : missing;
    case 'loss':
      return typeof run.loss === 'number' ? formatNumber(run.loss, language) : missing;
  }
}
