/** A run's row in the table: its value in each column, with those that differ from the other runs highlighted. */
import { Checkbox } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { comparedValue, hasSetting, isSetting, type SettingName } from '../../../shared/run/run-settings.ts';
import { shownState } from '../../../shared/run/run.ts';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { RunName, useModeText } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import { runLook, StateIcon } from '../../theme/index.ts';
import { RunColourPicker } from '../actions/index.ts';
import { scalarValue } from './scalar-columns.ts';
import { cellText, type ColumnName } from './table-columns.tsx';
import classes from './table.module.css';
import { useRunActions } from '../actions/index.ts';

export interface RunRowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly names: readonly ColumnName[];
  readonly common: ReadonlyMap<SettingName, string | number | undefined>;
  readonly scalars: RunScalarValues | undefined;
  readonly marked: boolean;
  /** 0 for an ended run: such rows are not rendered again each second. */
  readonly now: number;
  /** Unix seconds, of `useQuarter`: decides whether a day is shown. */
  readonly today: number;
  /** @param more with Shift: all from the row that was clicked before */
  readonly onMark: (runId: string, more: boolean) => void;
  readonly onOpen: ((runId: string) => void) | undefined;
}

export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, names, common, onOpen } = props;
  const { t } = useTranslation();
  const language = useLanguage();
  const modeText = useModeText();
  const actions = useRunActions();
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
          onChange={({ nativeEvent }) =>
            props.onMark(run.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
      </td>
      <td className={classes.mark}>
        <button
          type="button"
          className={classes.star}
          aria-label={star}
          aria-pressed={starred}
          disabled={onOpen === undefined}
          onClick={() => void actions.annotate(run.id, { starred: !starred })}
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
              <RunColourPicker run={run} disabled={onOpen === undefined} />
              <button
                type="button"
                className={classes.open}
                disabled={onOpen === undefined}
                onClick={() => onOpen?.(run.id)}
              >
                <RunName name={run.name} />
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
                {t(`runStates.${shownState(run)}`)}
              </span>
            </td>
          );
        const isCommon = isSetting(name) && common.has(name) && hasSetting(run, name);
        return (
          <td
            key={name}
            data-column={name}
            data-differs={isCommon && comparedValue(run, name) !== common.get(name)}
            className={classes.value}
          >
            {cellText(run, name, {
              language,
              now: name === 'created' ? props.today : props.now,
              modeText,
              value: scalarValue(props.scalars, name),
            })}
          </td>
        );
      })}
    </tr>
  );
});
