/** Controls that all chart panels share: the x axis, switches, and the cards' appearance. */
import { ActionIcon, Popover, SegmentedControl, Switch, Tooltip } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AxisChoice } from '../scale/axis.ts';
import { cardSizes, changeCardView, useCardView, valueOrders } from './card-view.ts';
import classes from './ChartTools.module.css';

const choices = ['step', 'epoch', 'time'] as const satisfies readonly AxisChoice[];

export function AxisPicker(props: { choice: AxisChoice; onChoose: (choice: AxisChoice) => void }) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      aria-label={t('runs.chart.axis')}
      value={props.choice}
      onChange={props.onChoose}
      data={choices.map((value) => ({ value, label: t(`runs.axis.${value}`) }))}
    />
  );
}

export const ToolSwitch = (props: { label: string; on: boolean; onSwitch: (on: boolean) => void }) => (
  <Switch
    size="xs"
    label={props.label}
    checked={props.on}
    onChange={(event) => props.onSwitch(event.currentTarget.checked)}
  />
);

/** The cards' width, and the order of their values. */
export function CardLook() {
  const { t } = useTranslation();
  const { size, order } = useCardView();
  return (
    <Popover position="bottom-end" zIndex={320} trapFocus>
      <Popover.Target>
        <Tooltip label={t('charts.look')}>
          <ActionIcon size={24} aria-label={t('charts.look')}>
            <IconLayoutGrid size={15} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.look}>
          <span>{t('charts.width')}</span>
          <SegmentedControl
            aria-label={t('charts.width')}
            value={size}
            onChange={(next) => changeCardView({ size: next })}
            data={cardSizes.map((value) => ({ value, label: t(`charts.size.${value}`) }))}
          />
          <span>{t('charts.values')}</span>
          <SegmentedControl
            aria-label={t('charts.values')}
            value={order}
            onChange={(next) => changeCardView({ order: next })}
            data={valueOrders.map((value) => ({ value, label: t(`charts.order.${value}`) }))}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
