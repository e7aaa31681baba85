/** The GPUs of a machine that a run computes on: their utilisation, and the processes on them. */
import { useTranslation } from 'react-i18next';
import { formatBytes, formatPercent } from '../ui/index.ts';
import { useLanguage } from '../state/index.ts';
import { GpuProcesses } from './GpuProcesses.tsx';
import classes from './NodeGpus.module.css';
import rowClasses from './utilisation-row.module.css';
import type { RowProps } from './utilisation-row.ts';
import { ownOf, type OwnGpus } from './own-gpus.ts';
import type { Sample } from './sample.ts';

export function NodeGpus(props: {
  samples: readonly Sample[];
  last: Sample;
  own: OwnGpus;
  noNvml: boolean;
  row: (row: RowProps) => React.ReactNode;
  rankOf: (pid: number) => number | undefined;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { samples, last } = props;
  if (last.gpus.length === 0) {
    return (
      <dl className={classes.more}>
        <div className={rowClasses.row}>
          <dt>{t('runs.node.gpus')}</dt>
          <dd className={rowClasses.wide}>{props.noNvml ? t('runs.node.noNvml') : t('runs.node.noGpu')}</dd>
        </div>
      </dl>
    );
  }
  const shown = ownOf(last, props.own);
  const others = last.gpus.filter((gpu) => !shown.includes(gpu));
  const cards = shown.map((gpu) => {
    const of = (sample: Sample) => sample.gpus.find((one) => one.index === gpu.index);
    const name = t('runs.node.gpuNumber', { index: gpu.index });
    const amount = (value: number | undefined, unit: string): string =>
      value === undefined ? '–' : `${Math.round(value)} ${unit}`;
    return (
      <div key={gpu.index} className={classes.gpu}>
        <div className={classes.gpuName}>
          {name} · {gpu.name}
        </div>
        <dl className={classes.more}>
          {props.row({
            name: t('runs.node.utilisation'),
            value: gpu.utilisation === undefined ? '–' : formatPercent(gpu.utilisation, language),
            values: samples.map((sample) => of(sample)?.utilisation),
            full: 100,
          })}
          {props.row({
            name: t('runs.node.memory'),
            value:
              gpu.memoryUsed === undefined
                ? '–'
                : t('runs.node.of', {
                    used: formatBytes(gpu.memoryUsed, language),
                    total: gpu.memoryTotal === undefined ? '?' : formatBytes(gpu.memoryTotal, language),
                  }),
            values: samples.map((sample) => of(sample)?.memoryUsed),
            full: gpu.memoryTotal ?? 0,
          })}
          {gpu.watts !== undefined &&
            props.row({
              name: t('runs.node.power'),
              value: amount(gpu.watts, 'W'),
              values: samples.map((sample) => of(sample)?.watts),
              full: 0,
            })}
          {gpu.celsius !== undefined &&
            props.row({
              name: t('runs.node.temperature'),
              value: amount(gpu.celsius, '°C'),
              values: samples.map((sample) => of(sample)?.celsius),
              full: 100,
            })}
          {gpu.megahertz !== undefined &&
            props.row({
              name: t('runs.node.clock'),
              value: amount(gpu.megahertz, 'MHz'),
              values: samples.map((sample) => of(sample)?.megahertz),
              full: 0,
            })}
        </dl>
        <GpuProcesses sample={last} gpu={gpu} rankOf={props.rankOf} />
      </div>
    );
  });
  return (
    <>
      {cards}
      {others.length > 0 && (
        <dl className={classes.more}>
          <div className={rowClasses.row}>
            <dt>{t('runs.node.otherGpus')}</dt>
            <dd className={rowClasses.wide}>
              {others.map(({ index }) => t('runs.node.gpuNumber', { index })).join(', ')}
            </dd>
          </div>
        </dl>
      )}
    </>
  );
}
