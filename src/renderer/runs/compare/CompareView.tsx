/** Compares any number of runs: their curves in the same charts, their results, and how their settings differ. */
import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { firstMembers, steadyMember } from '../../../shared/run/membership.ts';
import { isSeed } from '../../../shared/run/run-settings.ts';
import { CompareCharts, useRunEpochs, type ComparedLine } from '../../charts/index.ts';
import { useModeText } from '../../ui/index.ts';
import { groupBy, useRunsView, useRunStore } from '../../state/index.ts';
import { isEnded } from '../../../shared/run/run.ts';
import { runStrokes } from '../../theme/index.ts';
import { CompareTable, type CompareColumn } from './CompareTable.tsx';
import classes from './compare.module.css';
import { groupings, groupRuns } from '../actions/index.ts';
import { distinctNames } from './run-names.ts';
import { columnLabel } from '../table/index.ts';
import { useFigures } from './use-figures.ts';

/** What of a run's members decides which ranks its curves are of. */
const membersOf = (run: RunSummary): number[] => [...firstMembers(run), steadyMember(run)];

export function CompareView() {
  const { t } = useTranslation();
  const chosen = useRunsView((desk) => desk.compared);
  const chosenGrouping = useRunsView((desk) => desk.grouping);
  const summaries = useRunStore((state) => state.summaries);
  const runs = useMemo(
    () => chosen.flatMap((id) => summaries[id] ?? []).sort((a, b) => a.createdAt - b.createdAt),
    [chosen, summaries],
  );
  const figures = useFigures(runs);
  const live = runs.filter((run) => !isEnded(run.state)).map(({ id }) => id);
  const epochs = useRunEpochs(
    runs.filter((run) => run.experiment.script === undefined),
    live,
  );
  const offered = groupings(runs);
  const grouping = chosenGrouping !== 'none' && offered.includes(chosenGrouping) ? chosenGrouping : 'none';
  const columns = useColumns(runs, grouping);
  const identity = columns
    .map(({ id, name, stroke, runs: members }) =>
      [id, name, stroke.colour, stroke.dash, ...members.flatMap((run) => [run.id, ...membersOf(run)])].join(
        ' ',
      ),
    )
    .join('\n');
  const lines = useMemo(
    () =>
      columns.map(({ id, name, stroke, runs: members }): ComparedLine => ({
        id,
        name,
        stroke,
        runs: members.map((run) => ({
          id: run.id,
          start: run.startedAt ?? run.createdAt,
          epochs: epochs.get(run.id),
          isScript: run.experiment.script !== undefined,
          evaluating: firstMembers(run),
          steady: steadyMember(run),
        })),
      })),
    // Progress changes the records all the time; curves are updated separately.
    [identity, epochs],
  );
  const [first] = runs;
  if (first === undefined) return <p className={classes.empty}>{t('compare.none')}</p>;
  return (
    <div className={classes.panel} tabIndex={0} role="region" aria-label={t('compare.title')}>
      <CompareCharts
        labId={first.labId}
        lines={lines}
        live={live}
        tools={
          offered.length > 0 && (
            <Select
              aria-label={t('compare.groups')}
              w={230}
              value={grouping}
              onChange={(value) => groupBy(offered.find((name) => name === value) ?? 'none')}
              data={[
                { value: 'none', label: t('compare.noGroups') },
                ...offered.map((name) => ({
                  value: name,
                  label: isSeed(name)
                    ? t('compare.bySeed')
                    : t('compare.groupBy', { setting: columnLabel(t, name) }),
                })),
              ]}
            />
          )
        }
      />
      <CompareTable columns={columns} figures={figures} />
    </div>
  );
}

/** A column for each run, or group of runs. */
function useColumns(
  runs: readonly RunSummary[],
  grouping: ReturnType<typeof useRunsView.getState>['grouping'],
): CompareColumn[] {
  const { t } = useTranslation();
  const modeText = useModeText();
  const formatSetting = (name: Parameters<typeof columnLabel>[1], value: string | number): string =>
    name === 'sync' ? modeText(String(value)) : `${columnLabel(t, name)} ${value}`;
  if (grouping === 'none') {
    const names = distinctNames(runs, formatSetting);
    const strokes = runStrokes(runs.map(({ colour }) => colour));
    return runs.flatMap((run, index) => {
      const stroke = strokes[index];
      return stroke === undefined
        ? []
        : [{ id: run.id, name: names[index] ?? run.name, stroke, runs: [run] }];
    });
  }
  const groups = groupRuns(runs, grouping);
  // If all runs of a group have the same colour, the group has it too.
  const strokes = runStrokes(
    groups.map(({ runs: members }) =>
      members.every(({ colour }) => colour === members[0]?.colour) ? members[0]?.colour : undefined,
    ),
  );
  return groups.flatMap(({ id, runs: members, distinct }, index) => {
    const stroke = strokes[index];
    const valuesText = distinct.map(({ setting, value }) => formatSetting(setting, value)).join(', ');
    const name = t('compare.group', {
      name: valuesText === '' ? t('compare.allSeeds') : valuesText,
      count: members.length,
    });
    return stroke === undefined ? [] : [{ id, name, stroke, runs: members }];
  });
}
