/** One machine: CPU, memory, network, disk and each GPU, with their recent curves. */
import { useTranslation } from 'react-i18next';
import type { LabNode } from '../../shared/lab/lab.ts';
import { formatBytes, formatNumber, formatPercent, useSize } from '../ui/index.ts';
import { useLanguage } from '../state/index.ts';
import { useRef } from 'react';
import { NodeGpus } from './NodeGpus.tsx';
import type { RowProps } from './utilisation-row.ts';
import classes from './NodeUtilisation.module.css';
import rowClasses from './utilisation-row.module.css';
import { processCpu, traffic } from './sample.ts';
import { Sparkline } from './Sparkline.tsx';
import { useSamples } from './use-samples.ts';

export interface NodeUtilisationProps {
  readonly runId: string;
  readonly node: LabNode;
  readonly colour: string;
  readonly ranks: readonly { readonly rank: number; readonly pid: number | undefined }[];
  readonly ended: boolean;
}

/** So that a curve of two points does not extend across the whole card. */
const minSlots = 60;

export function NodeUtilisation({ runId, node, colour, ranks, ended }: NodeUtilisationProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const { samples, noNvml, own: ownGpus } = useSamples(runId, node.id);
  const last = samples.at(-1);
  const bytes = (value: number): string => formatBytes(value, language);
  const percent = (value: number | undefined): string =>
    value === undefined ? '–' : formatPercent(value, language);
  const ofTotal = (used: number | undefined, total: number | undefined): string =>
    used === undefined
      ? '–'
      : total === undefined
        ? bytes(used)
        : t('runs.node.of', { used: bytes(used), total: bytes(total) });
  const rates = samples.map((sample, i) => traffic(samples[i - 1], sample));
  const rate = rates.at(-1);
  const curve = Math.max(40, width - 236);
  const slots = Math.max(ended ? 2 : minSlots, samples.length);
  const row = ({ name, value, values, full }: RowProps) => (
    <div className={rowClasses.row} key={name}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <Sparkline values={values} full={full} colour={colour} width={curve} height={20} slots={slots} />
    </div>
  );
  const rankOf = (pid: number): number | undefined => ranks.find((one) => one.pid === pid)?.rank;
  const own = last === undefined ? undefined : processCpu(last);
  return (
    <article
      className={classes.card}
      style={{ '--node-colour': colour } as React.CSSProperties}
      aria-label={t('runs.node.card', { name: node.name })}
    >
      <header className={classes.head}>
        <h3>{node.name}</h3>
        <span className={classes.dim}>
          {ranks.length === 0
            ? ''
            : t('runs.node.ranks', { count: ranks.length, ranks: ranks.map(({ rank }) => rank).join(', ') })}
          {node.access.type === 'local' && ` · ${t('runs.node.local')}`}
        </span>
      </header>
      <div ref={box}>
        {last === undefined ? (
          <p className={classes.none}>{ended ? t('runs.node.noSamples') : t('runs.node.waiting')}</p>
        ) : (
          <>
            <dl className={classes.rows}>
              {row({
                name: t('runs.node.cpu'),
                value: percent(last.cpu),
                values: samples.map((sample) => sample.cpu),
                full: 100,
              })}
              {own !== undefined &&
                row({
                  name: t('runs.node.processes', { count: last.processes.length }),
                  value: t('runs.node.cores', {
                    used: formatNumber(Math.round(own) / 100, language),
                    total:
                      last.cpus === undefined
                        ? '?'
                        : formatNumber(Math.round(100 * last.cpus) / 100, language),
                  }),
                  values: samples.map(processCpu),
                  full: 100 * (last.cpus ?? 1),
                })}
              {row({
                name: t('runs.node.memory'),
                value: ofTotal(last.memoryUsed, last.memoryTotal),
                values: samples.map((sample) => sample.memoryUsed),
                full: last.memoryTotal ?? 0,
              })}
              {row({
                name: t('runs.node.sent'),
                value: rate === undefined ? '–' : `${bytes(rate.sent)}/s`,
                values: rates.map((one) => one?.sent),
                full: 0,
              })}
              {row({
                name: t('runs.node.received'),
                value: rate === undefined ? '–' : `${bytes(rate.received)}/s`,
                values: rates.map((one) => one?.received),
                full: 0,
              })}
              {node.access.type === 'local' &&
                row({
                  name: t('runs.node.loopback'),
                  value: rate === undefined ? '–' : `${bytes(rate.loopback)}/s`,
                  values: rates.map((one) => one?.loopback),
                  full: 0,
                })}
              {last.diskFree !== undefined &&
                row({
                  name: t('runs.node.disk'),
                  value: ofTotal(last.diskFree, last.diskTotal),
                  values: [],
                  full: 1,
                })}
            </dl>
            <NodeGpus samples={samples} last={last} own={ownGpus} noNvml={noNvml} row={row} rankOf={rankOf} />
          </>
        )}
      </div>
    </article>
  );
}
