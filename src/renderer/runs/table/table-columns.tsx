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
import {
  isOptionName,
  isSetting,
  settingNamesOf,
  settingOf,
  type SettingName,
} from '../../../shared/run/run-settings.ts';
import { formatDuration, formatMoment, formatNumber, formatPercent } from '../../ui/index.ts';
import { tookOf } from '../../../shared/run/took.ts';
import {
  isScalarColumn,
  scalarLabel,
  scalarValue,
  type ScalarColumn,
  type ValuesOfRuns,
} from './scalar-columns.ts';
import { settingValue } from './setting-value.ts';

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

const resultNames = ['name', 'state', 'created', 'took', 'epochsDone', 'best', 'loss'] as const;
type ResultName = (typeof resultNames)[number];
export type ColumnName = ResultName | SettingName | ScalarColumn;
/** The trainer's alone. */
const trainerResults: readonly ColumnName[] = ['epochsDone', 'best', 'loss'];

/** These settings are shown even if all runs agree. */
const always: readonly SettingName[] = [
  ...(['script', 'architecture', 'worldSize', 'batchSize'] as const),
  ...(['learningRate', 'sync'] as const),
];

export interface ShownColumns {
  /** Settings that not all listed runs share. */
  readonly differ: ReadonlySet<SettingName>;
  readonly all: boolean;
  readonly scalars: readonly ScalarColumn[];
}

export function columnsShown(
  runs: readonly RunSummary[],
  { differ, all, scalars }: ShownColumns,
): readonly ColumnName[] {
  const hasTrainer = runs.length === 0 || runs.some((run) => run.experiment.script === undefined);
  const settings = runs.length === 0 ? always.slice(1) : settingNamesOf(runs);
  return [
    ...resultNames.filter((name) => hasTrainer || !trainerResults.includes(name)),
    ...scalars,
    ...settings.filter((name) => all || always.includes(name) || differ.has(name)),
  ];
}

export function columnLabel(t: TFunction, name: ColumnName): string {
  if (isScalarColumn(name)) return scalarLabel(t, name);
  if (!isSetting(name)) return t(`runTable.column.${name}`);
  return isOptionName(name) ? name : t(`settingNames.${name}`);
}

/** Sorted by meaning, not by text. */
function sortValue(
  run: RunSummary,
  name: ColumnName,
  now: number,
  values: ValuesOfRuns,
): string | number | undefined {
  if (isScalarColumn(name)) return scalarValue(values.get(run.id), name);
  if (isSetting(name)) return settingValue(run, name);
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

export const makeColumns = (names: readonly ColumnName[], values: ValuesOfRuns, now: () => number) =>
  helper.columns(
    names.map((name) =>
      helper.accessor((run) => sortValue(run, name, now(), values), {
        id: name,
        sortUndefined: 'last',
        sortFn: (a, b, column) => order(a.getValue(column), b.getValue(column)),
      }),
    ),
  );

const collator = new Intl.Collator(undefined, { numeric: true });
/** Numbers before words: compared as texts, 0.01 would come after 0.005 and before 0.0049. */
function order(a: unknown, b: unknown): number {
  const [isNumber, isOther] = [typeof a === 'number', typeof b === 'number'];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return isNumber === isOther ? collator.compare(String(a), String(b)) : isNumber ? -1 : 1;
}

interface CellContext {
  readonly language: Language;
  readonly now: number;
  readonly modeText: (sync: string) => string;
  /** Of a scalar's column. */
  readonly value: number | undefined;
}

/** The text of a cell that contains only text. */
export function cellText(
  run: RunSummary,
  name: Exclude<ColumnName, 'name' | 'state'>,
  { language, now, modeText, value }: CellContext,
): string {
  const missing = '–';
  if (isScalarColumn(name)) return value === undefined ? missing : formatNumber(value, language);
  if (name === 'sync' && run.experiment.script === undefined) return modeText(run.experiment.sync);
  if ((name === 'nodes' || name === 'worldSize') && run[name] === 0) return missing;
  if (isSetting(name)) return String(settingOf(run, name));
  if (run.experiment.script !== undefined && trainerResults.includes(name)) return missing;
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
