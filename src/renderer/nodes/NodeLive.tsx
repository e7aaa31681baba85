/** A node's utilisation in a few pixels, on its card on the canvas. */
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../ui/index.ts';
import { useLanguage } from '../state/index.ts';
import { cpuShare, gpuShare } from './busy.ts';
import classes from './NodeLive.module.css';
import { useSamples } from './use-samples.ts';

export interface NodeLiveProps {
  readonly runId: string;
  readonly nodeId: string;
}

export function NodeLive({ runId, nodeId }: NodeLiveProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { samples, own } = useSamples(runId, nodeId);
  const last = samples.at(-1);
  if (last === undefined) return null;
  const gpu = gpuShare(last, own);
  const cpu = cpuShare(last);
  const memory =
    last.memoryUsed === undefined || last.memoryTotal === undefined
      ? undefined
      : (100 * last.memoryUsed) / last.memoryTotal;
  const meters = [
    ...(gpu === undefined ? [] : [{ name: t('runs.node.gpu'), value: gpu }]),
    ...(cpu === undefined ? [] : [{ name: t('runs.node.cpu'), value: cpu }]),
    ...(memory === undefined || gpu !== undefined
      ? []
      : [{ name: t('runs.node.memoryShort'), value: memory }]),
  ];
  const text = meters.map(({ name, value }) => `${name} ${formatPercent(value, language)}`).join(', ');
  return (
    <div className={classes.live} role="img" aria-label={t('runs.node.live', { values: text })} title={text}>
      <div className={classes.meters}>
        {meters.map(({ name, value }) => (
          <span key={name} className={classes.meter}>
            <span className={classes.meterName}>{name}</span>
            <span className={classes.meterBar}>
              <span style={{ width: `${Math.max(0, Math.min(100, value))}%` }} />
            </span>
            <span className={classes.meterValue}>{Math.round(value)}</span>
          </span>
        ))}
      </div>
    </div>
  );
}
