/** The toolbar above charts: x axis, smoothing, scale and appearance, and the controls that one panel adds. */
import { Button } from '@mantine/core';
import { IconZoomReset } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AxisPicker, CardLook, ToolSwitch } from '../card/ChartTools.tsx';
import classes from './charts.module.css';
import type { ChartView } from './use-chart-view.ts';

export interface ChartToolbarProps {
  readonly view: ChartView;
  /** Beside the axis: which lines are drawn. */
  readonly lines?: ReactNode;
  /** After the switches that every panel has. */
  readonly switches?: ReactNode;
  /** Of the logarithmic scale's switch. */
  readonly log?: string;
  /** At the end: remarks. */
  readonly children?: ReactNode;
}

export function ChartToolbar({ view, lines, switches, log, children }: ChartToolbarProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.toolbar} role="toolbar" aria-label={t('runs.chart.toolbar')}>
      <AxisPicker choice={view.choice} onChoose={view.setChoice} />
      {lines}
      <ToolSwitch label={t('runs.chart.smoothing')} on={view.smoothed} onSwitch={view.setSmoothed} />
      <input
        className={classes.slider}
        type="range"
        min={0}
        max={0.98}
        step={0.02}
        disabled={!view.smoothed}
        value={view.strength}
        aria-label={t('runs.chart.smoothingStrength')}
        onChange={(event) => view.setStrength(event.currentTarget.valueAsNumber)}
      />
      <ToolSwitch label={log ?? t('runs.chart.log')} on={view.log} onSwitch={view.setLog} />
      {switches}
      <CardLook />
      {Object.values(view.zooms).some((zoom) => zoom !== undefined) && (
        <Button
          variant="light"
          size="compact-xs"
          leftSection={<IconZoomReset size={13} />}
          onClick={view.resetZoom}
        >
          {t('runs.chart.resetZoom')}
        </Button>
      )}
      {children}
    </div>
  );
}
