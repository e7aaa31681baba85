/** What every set of charts is set with: the axis below, and switches. */
import { SegmentedControl, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AxisChoice } from './axis.ts';

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
