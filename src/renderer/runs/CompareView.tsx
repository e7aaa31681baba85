/** Any number of runs side by side: their curves in the same charts, what they achieved, and how their settings differ. */
import { Switch } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../shared/api.ts';
import { against, type RunFigures } from '../../shared/run-figures.ts';
import { isEnded } from '../../shared/run.ts';
import { differing, settingNames, settingOf, usualSetting } from '../../shared/run-settings.ts';
import { useApi } from '../api/index.ts';
import { CompareCharts, formatBytes, formatDuration, formatNumber, formatPercent } from '../charts/index.ts';
import { useSyncWords } from '../inspector/index.ts';
import { asRinglabError, report, useLanguage, useRunStore } from '../state/index.ts';
import { runStrokes } from '../theme/index.ts';
import classes from './compare.module.css';
import { compareWith, useDesk } from './desk.ts';
import { distinctNames } from './run-names.ts';
import { RunColourPicker } from './RunColourPicker.tsx';
import { columnLabel } from './table-columns.tsx';

/** One request asks for at most so many. */
const mostFigures = 256;
const secondsBetweenFigures = 5;

export function CompareView() {
  const { t } = useTranslation();
  const chosen = useDesk((desk) => desk.chosen);
  const summaries = useRunStore((state) => state.summaries);
  const runs = useMemo(
    () => chosen.flatMap((id) => summaries[id] ?? []).sort((a, b) => a.createdAt - b.createdAt),
    [chosen, summaries],
  );
  const figures = useFigures(runs);
  const syncWords = useSyncWords();
  const names = distinctNames(runs, (name, value) =>
    name === 'sync' ? syncWords(String(value)) : `${columnLabel(t, name)} ${value}`,
  );
  const identity = runs.map((run, index) => `${run.id} ${run.colour ?? ''} ${names[index]}`).join('\n');
  const strokes = useMemo(() => runStrokes(runs.map(({ colour }) => colour)), [identity]);
  const compared = useMemo(
    () =>
      runs.map((run, index) => ({
        id: run.id,
        name: names[index] ?? run.name,
        start: run.startedAt ?? run.createdAt,
        stepsPerEpoch: figures.get(run.id)?.stepsPerEpoch,
        stroke: strokes[index] ?? { colour: 'var(--rl-text)', dash: undefined },
      })),
    // Progress changes the records all the time; curves come by themselves.
    [identity, figures],
  );
  if (runs.length === 0) return <p className={classes.empty}>{t('compare.none')}</p>;
  return (
    <div className={classes.panel} tabIndex={0} role="region" aria-label={t('compare.title')}>
      <CompareCharts runs={compared} />
      <CompareTable
        runs={runs}
        names={names}
        colours={strokes.map(({ colour }) => colour)}
        figures={figures}
      />
    </div>
  );
}

/** Measured anew when a run begins or ends, and every few seconds meanwhile. */
function useFigures(runs: readonly RunSummary[]): ReadonlyMap<string, RunFigures> {
  const api = useApi();
  const [figures, setFigures] = useState<ReadonlyMap<string, RunFigures>>(new Map());
  const states = runs.map((run) => `${run.id} ${isEnded(run.state) ? 'ended' : 'live'}`).join('\n');
  useEffect(() => {
    const stop = new AbortController();
    const ask = (wanted: readonly string[]): void => {
      const runIds = wanted.map((line) => line.split(' ')[0] ?? '').slice(0, mostFigures);
      if (runIds.length === 0) return;
      api.call('run.figures', { runIds }, stop.signal).then(
        (found) =>
          setFigures((known) => new Map([...known, ...found.map((one) => [one.runId, one] as const)])),
        (error: unknown) => {
          if (!stop.signal.aborted) report(asRinglabError(error));
        },
      );
    };
    const all = states.split('\n').filter(Boolean);
    const live = all.filter((line) => line.endsWith(' live'));
    ask(all);
    const again = live.length === 0 ? undefined : setInterval(() => ask(live), secondsBetweenFigures * 1000);
    return () => {
      stop.abort();
      clearInterval(again);
    };
  }, [api, states]);
  return figures;
}

interface TableProps {
  readonly runs: readonly RunSummary[];
  /** Of the runs, in their order. */
  readonly names: readonly string[];
  readonly colours: readonly string[];
  readonly figures: ReadonlyMap<string, RunFigures>;
}

function CompareTable({ runs, names, colours, figures }: TableProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const syncWords = useSyncWords();
  const [all, setAll] = useState(false);
  const chosenBase = useDesk((desk) => desk.baseline);
  const baseline = runs.find((run) => run.id === chosenBase) ?? runs[0];
  const differ = differing(runs);
  const shown = settingNames.filter((name) => all || differ.has(name));
  const measured = (run: RunSummary) => ({ figures: figures.get(run.id), worldSize: run.worldSize });
  const missing = '–';
  const figure = (name: keyof RunFigures, say: (value: number) => string) => (run: RunSummary) => {
    const value = figures.get(run.id)?.[name];
    return typeof value === 'number' ? say(value) : missing;
  };
  const duration = (value: number): string => formatDuration(value, language);
  const ratio = (of: 'speedUp' | 'efficiency', say: (value: number) => string) => (run: RunSummary) => {
    const found = baseline === undefined ? undefined : against(measured(run), measured(baseline));
    return found === undefined ? missing : say(found[of]);
  };
  const results: readonly (readonly [string, (run: RunSummary) => ReactNode])[] = [
    [
      t('runTable.column.best'),
      (run) => (typeof run.bestTop1 === 'number' ? formatPercent(run.bestTop1, language) : missing),
    ],
    [
      t('compare.took'),
      (run) =>
        run.startedAt === undefined || run.endedAt === undefined
          ? missing
          : duration(run.endedAt - run.startedAt),
    ],
    [t('compare.imagesPerSecond'), figure('imagesPerSecond', (value) => formatNumber(value, language))],
    [t('compare.speedUp'), ratio('speedUp', (value) => `${formatNumber(value, language)}×`)],
    [t('compare.efficiency'), ratio('efficiency', (value) => formatPercent(100 * value, language))],
    [t('compare.secondsPerStep'), figure('secondsPerStep', duration)],
    [
      t('compare.expected'),
      (run) => (run.estimate === undefined ? missing : duration(run.estimate.secondsPerStep)),
    ],
    [t('runs.line.data'), figure('dataSeconds', duration)],
    [t('runs.line.compute'), figure('computeSeconds', duration)],
    [t('runs.line.communication'), figure('communicationSeconds', duration)],
    [t('compare.bytesPerStep'), figure('bytesPerStep', (value) => formatBytes(value, language))],
  ];
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
      </div>
      <table className={classes.table} aria-label={t('compare.table')}>
        <thead>
          <tr>
            <th scope="col">{t('compare.baselineHint')}</th>
            {runs.map((run, index) => (
              <th key={run.id} scope="col" data-run={run.id}>
                <span className={classes.head}>
                  <RunColourPicker run={run} fallback={colours[index]} />
                  <label className={classes.run}>
                    <input
                      type="radio"
                      name="baseline"
                      aria-label={t('compare.baseline', { name: names[index] ?? run.name })}
                      checked={run.id === baseline?.id}
                      onChange={() => compareWith(run.id)}
                    />
                    {names[index]}
                  </label>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map(([label, cell]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {runs.map((run) => (
                <td key={run.id}>{cell(run)}</td>
              ))}
            </tr>
          ))}
          {shown.map((name) => {
            const usual = usualSetting(runs, name);
            return (
              <tr key={name} data-setting={name}>
                <th scope="row">{columnLabel(t, name)}</th>
                {runs.map((run) => {
                  const value = settingOf(run, name);
                  return (
                    <td key={run.id} data-differs={differ.has(name) && value !== usual}>
                      {name === 'sync' ? syncWords(String(value)) : value}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length === 0 && <p className={classes.same}>{t('compare.same')}</p>}
    </div>
  );
}
