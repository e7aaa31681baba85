/** The processes on a GPU with their users, sorted by their share of the GPU or the CPU. */
import { IconArrowDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatPercent } from '../ui/index.ts';
import { useLanguage } from '../state/index.ts';
import classes from './GpuProcesses.module.css';
import { processColumns, processesOf, type ListedProcess, type ProcessColumn } from './process-order.ts';
import type { GpuSample, Sample } from './sample.ts';

export interface GpuProcessesProps {
  readonly sample: Sample;
  readonly gpu: GpuSample;
  readonly rankOf: (pid: number) => number | undefined;
}

export function GpuProcesses({ sample, gpu, rankOf }: GpuProcessesProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [by, setBy] = useState<ProcessColumn>('memory');
  if (gpu.processes.length === 0) return null;
  const who = ({ pid, user, program }: ListedProcess): string => {
    const rank = rankOf(pid);
    if (rank !== undefined) return t('runs.node.rankProcess', { rank });
    return user !== undefined && program !== undefined
      ? t('runs.node.ownedProcess', { user, program, pid })
      : t('runs.node.otherProcess', { pid });
  };
  const formatCell = (one: ListedProcess, column: ProcessColumn): string => {
    const value = one[column];
    if (value === undefined) return '–';
    return column === 'memory' ? formatBytes(value, language) : formatPercent(value, language);
  };
  return (
    <table
      className={classes.processes}
      aria-label={t('runs.node.gpuProcesses', { gpu: t('runs.node.gpuNumber', { index: gpu.index }) })}
    >
      <thead>
        <tr>
          <th scope="col">{t('runs.node.process.who')}</th>
          {processColumns.map((column) => (
            <th key={column} scope="col" aria-sort={by === column ? 'descending' : 'none'}>
              <button type="button" onClick={() => setBy(column)}>
                {t(`runs.node.process.${column}`)}
                {by === column && <IconArrowDown size={11} aria-hidden />}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {processesOf(sample, gpu.processes, by).map((one) => (
          <tr key={one.pid}>
            <th scope="row">{who(one)}</th>
            {processColumns.map((column) => (
              <td key={column}>{formatCell(one, column)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
