/** What a mode of synchronisation is expected to cost in accuracy; a click opens the measurements behind it. */
import { Popover, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { accuracyCost, measuredAccuracies } from '../../shared/cost/accuracy-cost.ts';
import { formatNumber, formatPercent } from '../../shared/i18n/quantity.ts';
import { useLanguage } from '../state/index.ts';
import { useModeText } from './sync-words.ts';
import classes from './AccuracyCost.module.css';

/** Nothing for modes that lose nothing. */
export function AccuracyCost({ sync }: { sync: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const cost = accuracyCost(sync);
  if (cost === undefined || cost.kind === 'exact') return null;
  const text =
    cost.kind === 'not_measured'
      ? t('shell.accuracy.notMeasured')
      : t(cost.points === 0 ? 'shell.accuracy.none' : 'shell.accuracy.atMost', {
          points: formatNumber(cost.points, language),
          task: t(`shell.accuracy.task.${cost.by.task}`),
          count: cost.by.seeds,
        });
  return (
    <Popover position="bottom-end" withinPortal trapFocus={false}>
      <Popover.Target>
        <button type="button" className={classes.cost} title={text}>
          {text}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <Measurements />
      </Popover.Dropdown>
    </Popover>
  );
}

function Measurements() {
  const { t } = useTranslation();
  const language = useLanguage();
  const formatMode = useModeText();
  return (
    <div className={classes.table}>
      <Table aria-label={t('shell.accuracy.label')} withRowBorders={false} verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('shell.accuracy.mode')}</Table.Th>
            <Table.Th>{t('shell.accuracy.on')}</Table.Th>
            <Table.Th>{t('shell.accuracy.own')}</Table.Th>
            <Table.Th>{t('shell.accuracy.plain')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {measuredAccuracies.map(({ sync, task, own, plain }) => (
            <Table.Tr key={`${sync} ${task}`}>
              <Table.Td>{formatMode(sync)}</Table.Td>
              <Table.Td>{t(`shell.accuracy.task.${task}`)}</Table.Td>
              <Table.Td>{formatPercent(own, language)}</Table.Td>
              <Table.Td>{formatPercent(plain, language)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <p className={classes.source}>{t('shell.accuracy.source')}</p>
    </div>
  );
}
