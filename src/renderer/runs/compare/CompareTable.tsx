/** The results of runs, or groups of runs, one column each, compared with a baseline; and how their settings differ. */
import { Switch } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { against, type Measured, type RunFigures } from '../../../shared/run/run-figures.ts';
import { membersLeft } from '../../../shared/run/membership.ts';
import {
  differing,
  isSeed,
  noSetting,
  settingNamesOf,
  settingOf,
  commonSetting,
  comparedValue,
  modesChosenApart,
  type SettingName,
} from '../../../shared/run/run-settings.ts';
import { formatBytes, formatDuration, formatNumber, formatPercent, RunName } from '../../ui/index.ts';
import { useModeText } from '../../ui/index.ts';
import { compareWith, useLanguage, useRunsView } from '../../state/index.ts';
import type { RunStroke } from '../../theme/index.ts';
import classes from './compare.module.css';
import { spreadOf } from '../actions/index.ts';
import { RunColourPicker } from '../actions/index.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { columnLabel } from '../table/index.ts';
import type { Result } from './result.ts';
import { useScalarResults } from './use-scalar-results.ts';

export interface CompareColumn {
  readonly id: string;
  readonly name: string;
  readonly stroke: RunStroke;
  /** One run, or a group. */
  readonly runs: readonly RunSummary[];
}

export interface CompareTableProps {
  readonly columns: readonly CompareColumn[];
  readonly figures: ReadonlyMap<string, RunFigures>;
}

const missing = '–';

export function CompareTable({ columns, figures }: CompareTableProps) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const chosenBase = useRunsView((desk) => desk.baseline);
  const runs = columns.flatMap((column) => column.runs);
  const baseline = columns.find(({ id }) => id === chosenBase) ?? columns[0];
  const differ = differing(runs);
  const shown = settingNamesOf(runs).filter((name) => all || differ.has(name));
  const trainer = useResults(figures, baseline);
  const { rows: scalars, more } = useScalarResults(runs);
  // Of scripts alone, the trainer's results that they can have: how long they took.
  const isTrained = runs.some((run) => run.experiment.script === undefined);
  const results = [
    ...trainer.filter(
      ({ of, optional }) => (isTrained && optional !== true) || runs.some((run) => of(run) !== undefined),
    ),
    ...scalars,
  ];
  const modes = modesChosenApart(runs);
  const modeText = useModeText();
  const others = [...differ].filter((name) => name !== 'sync' && !isSeed(name));
  const grouped = columns.some((column) => column.runs.length > 1);
  return (
    <div className={classes.tableBox}>
      <div className={classes.tools}>
        <h3>{t('compare.table')}</h3>
        <Switch
          size="xs"
          label={t('runTable.allColumns')}
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
        {grouped && <span className={classes.hint}>{t('compare.spreadHint')}</span>}
      </div>
      {modes.length > 0 && (
        <p className={classes.warning} role="note">
          <IconAlertTriangle size={15} aria-hidden />
          {others.length === 0
            ? t('compare.modesApart', { modes: modes.map(modeText).join(', ') })
            : t('compare.modesApartToo', {
                modes: modes.map(modeText).join(', '),
                settings: others.map((name) => columnLabel(t, name)).join(', '),
              })}
        </p>
      )}
      <table className={classes.table} aria-label={t('compare.table')}>
        <thead>
          <tr>
            <th scope="col">{t('compare.baselineHint')}</th>
            {columns.map((column) => (
              <ColumnHead key={column.id} column={column} isBaseline={column.id === baseline?.id} />
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map(({ label, of, format }) => (
            <tr key={label} data-result={label}>
              <th scope="row">{label}</th>
              {columns.map((column) => {
                const spread = spreadOf(column.runs.map(of));
                return (
                  <td key={column.id}>
                    {spread === undefined
                      ? missing
                      : spread.deviation === undefined
                        ? format(spread.mean)
                        : t('compare.spread', {
                            mean: format(spread.mean),
                            deviation: format(spread.deviation),
                          })}
                  </td>
                );
              })}
            </tr>
          ))}
          {shown.map((name) => (
            <SettingRow key={name} name={name} columns={columns} differs={differ.has(name)} />
          ))}
        </tbody>
      </table>
      {more > 0 && <p className={classes.same}>{t('compare.moreScalars', { count: more })}</p>}
      {shown.length === 0 && <p className={classes.same}>{t('compare.same')}</p>}
    </div>
  );
}

function ColumnHead({ column, isBaseline }: { column: CompareColumn; isBaseline: boolean }) {
  const { t } = useTranslation();
  const { id, name, stroke, runs } = column;
  const [first] = runs;
  return (
    <th scope="col" data-run={id}>
      <span className={classes.head}>
        {runs.length === 1 && first !== undefined ? (
          <RunColourPicker run={first} fallback={stroke.colour} />
        ) : (
          <span className={classes.dot} style={{ background: stroke.colour }} aria-hidden />
        )}
        <label className={classes.run}>
          <input
            type="radio"
            name="baseline"
            aria-label={t('compare.baseline', { name })}
            checked={isBaseline}
            onChange={() => compareWith(id)}
          />
          <RunName name={name} />
        </label>
      </span>
    </th>
  );
}

function SettingRow(props: { name: SettingName; columns: readonly CompareColumn[]; differs: boolean }) {
  const { t } = useTranslation();
  const modeText = useModeText();
  const { name, columns } = props;
  const common = commonSetting(
    columns.flatMap((column) => column.runs),
    name,
  );
  const format = (value: string | number): string =>
    name === 'sync' ? modeText(String(value)) : String(value);
  return (
    <tr data-setting={name}>
      <th scope="row">{columnLabel(t, name)}</th>
      {columns.map((column) => {
        const values = [...new Set(column.runs.map((run) => settingOf(run, name)))];
        const [compared, ...others] = new Set(column.runs.map((run) => comparedValue(run, name)));
        return (
          <td
            key={column.id}
            data-differs={
              props.differs && others.length === 0 && compared !== common && compared !== noSetting
            }
          >
            {values.map((value) => (value === noSetting ? noSetting : format(value))).join(', ')}
          </td>
        );
      })}
    </tr>
  );
}

/** The rows of the results. */
function useResults(
  figures: ReadonlyMap<string, RunFigures>,
  baseline: CompareColumn | undefined,
): readonly Result[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const measured = (run: RunSummary): Measured => ({
    figures: figures.get(run.id),
    worldSize: membersLeft(run, run.worldSize),
  });
  // A group is represented by the mean of its runs.
  const [first] = baseline?.runs ?? [];
  const speed = spreadOf((baseline?.runs ?? []).map((run) => figures.get(run.id)?.imagesPerSecond));
  const base: Measured | undefined =
    first === undefined
      ? undefined
      : {
          figures: speed === undefined ? undefined : { runId: first.id, imagesPerSecond: speed.mean },
          worldSize: membersLeft(first, first.worldSize),
        };
  const figure = (name: Exclude<keyof RunFigures, 'runId'>) => (run: RunSummary) =>
    figures.get(run.id)?.[name];
  const ratio = (of: 'speedUp' | 'efficiency') => (run: RunSummary) =>
    base === undefined ? undefined : against(measured(run), base)?.[of];
  const duration = (value: number): string => formatDuration(value, language);
  const number = (value: number): string => formatNumber(value, language);
  const percent = (value: number): string => formatPercent(value, language);
  const bytes = (value: number): string => formatBytes(value, language);
  return [
    { label: t('runTable.column.best'), of: (run) => run.bestTop1 ?? undefined, format: percent },
    {
      label: t('compare.took'),
      of: (run) => (run.endedAt === undefined ? undefined : tookOf(run, run.endedAt)),
      format: duration,
    },
    { label: t('compare.imagesPerSecond'), of: figure('imagesPerSecond'), format: number },
    {
      label: t('compare.speedUp'),
      of: ratio('speedUp'),
      format: (value) => `${number(Number(value.toPrecision(3)))}×`,
    },
    {
      label: t('compare.efficiency'),
      of: ratio('efficiency'),
      format: (value) => percent(100 * value),
      optional: true,
    },
    { label: t('compare.secondsPerStep'), of: figure('secondsPerStep'), format: duration },
    { label: t('compare.expected'), of: (run) => run.estimate?.secondsPerStep, format: duration },
    { label: t('runs.line.data'), of: figure('dataSeconds'), format: duration },
    { label: t('runs.line.compute'), of: figure('computeSeconds'), format: duration },
    { label: t('runs.line.communication'), of: figure('communicationSeconds'), format: duration },
    { label: t('compare.bytesPerStep'), of: figure('bytesPerStep'), format: bytes },
    { label: t('compare.gpuPercent'), of: figure('gpuPercent'), format: percent, optional: true },
    { label: t('compare.gpuMemory'), of: figure('gpuMemoryBytes'), format: bytes, optional: true },
    { label: t('compare.cpuPercent'), of: figure('cpuPercent'), format: percent, optional: true },
  ];
}
