/** The estimate beside 'Run experiment': a step's cost as drawn, its cause, and a button that applies a faster setting. */
import { Button, Tooltip } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Advice } from '../../shared/cost/auto-sync.ts';
import type { Estimate } from '../../shared/cost/estimate.ts';
import type { NotEmulated } from '../../shared/node/network.ts';
import { parseSyncMode } from '../../shared/settings/index.ts';
import { AccuracyCost, formatBytes, formatDuration, useModeText } from '../ui/index.ts';
import { takeSync, useEstimate, useLabStore, useLanguage, useNetworkState } from '../state/index.ts';
import { EstimateDetails, EstimateRows } from './EstimateDetails.tsx';
import classes from './EstimateLine.module.css';
import { ScriptEstimate } from './ScriptEstimate.tsx';

export function EstimateLine() {
  const { t } = useTranslation();
  const shown = useEstimate();
  if (shown === undefined) return null;
  if (shown.kind === 'script') return <ScriptEstimate measured={shown.measured} changes={shown.changes} />;
  if (shown.kind === 'problem') {
    return shown.problem.code === 'unreachable' ? (
      <span className={classes.line} title={t('shell.estimate.unreachable', shown.problem)}>
        {t('shell.estimate.unreachable', shown.problem)}
      </span>
    ) : null;
  }
  return (
    <div className={classes.line} role="group" aria-label={t('shell.estimate.label')}>
      <Cost cost={shown.cost} advice={shown.advice} />
      <Better cost={shown.cost} advice={shown.advice} />
    </div>
  );
}

function Cost({ cost, advice }: { cost: Estimate; advice: Advice }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const time = formatDuration(cost.secondsPerStep, language);
  const { bottleneck } = cost;
  // Which mode it is stands among the details: the headline says what it does.
  const isCompressed = isLossy(cost.sync) && cost.secondsPerStep < advice.plain.secondsPerStep;
  const text = useIsCosmetic()
    ? t('shell.estimate.notEmulated', { time })
    : isCompressed
      ? t('shell.estimate.compressed', { time, plain: formatDuration(advice.plain.secondsPerStep, language) })
      : bottleneck === undefined
        ? t('shell.estimate.computing', { time })
        : bottleneck.alike.size > 1
          ? t('shell.estimate.links', { time, count: bottleneck.alike.size })
          : t('shell.estimate.link', { time, a: bottleneck.ends[0], b: bottleneck.ends[1] });
  return (
    <EstimateDetails text={text}>
      <Details cost={cost} />
    </EstimateDetails>
  );
}

/** Why links are not emulated, if they cannot be. */
const notEmulated: ReadonlySet<NotEmulated | undefined> = new Set<NotEmulated>([
  'system',
  'rights',
  'programs',
  'kernel',
  'too_many_nodes',
  'switched_off',
]);

/** Whether the drawn links slow nothing: the estimate is of the network as drawn, not of a run on this computer. */
function useIsCosmetic(): boolean {
  const network = useNetworkState(useLabStore((state) => state.lab?.id));
  return network !== undefined && !network.emulated && notEmulated.has(network.reason);
}

/** Modes that drop or delay a part of the updates. */
const isLossy = (sync: string): boolean =>
  !['allreduce', 'fp16', 'bf16'].includes(parseSyncMode(sync)?.kind ?? '');

function Details({ cost }: { cost: Estimate }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const formatMode = useModeText();
  const auto = useLabStore((state) => state.lab?.experiment.sync === 'auto');
  const cosmetic = useIsCosmetic();
  const duration = (seconds: number): string => formatDuration(seconds, language);
  const rows: readonly (readonly [string, string])[] = [
    [t(auto ? 'shell.estimate.chosen' : 'shell.estimate.sync'), formatMode(cost.sync)],
    [t('shell.estimate.compute'), duration(cost.computeSeconds)],
    [t('shell.estimate.communication'), duration(cost.communicationSeconds)],
    [t('shell.estimate.bytes'), formatBytes(cost.bytesPerStep, language)],
    ...(cost.secondsPerEpoch === undefined
      ? []
      : [[t('shell.estimate.epoch'), duration(cost.secondsPerEpoch)] as const]),
    ...(cost.atEnd === undefined
      ? []
      : [
          [
            t('shell.estimate.atEnd'),
            t('shell.estimate.atEndCost', {
              time: duration(cost.atEnd.seconds),
              size: formatBytes(cost.atEnd.bytes, language),
            }),
          ] as const,
        ]),
  ];
  return (
    <>
      <EstimateRows rows={rows} />
      <ul className={classes.notes}>
        {cost.measured !== undefined && (
          <li>{t('shell.estimate.measured', { run: cost.measured.runName })}</li>
        )}
        {isLossy(cost.sync) && <li>{t('shell.estimate.lossy')}</li>}
        {isLossy(cost.sync) && (
          <li>
            <AccuracyCost sync={cost.sync} />
          </li>
        )}
        {cosmetic && <li>{t('shell.estimate.assumption.links_not_emulated')}</li>}
        {cost.assumptions.map((code) => (
          <li key={code}>{t(`shell.estimate.assumption.${code}`)}</li>
        ))}
      </ul>
    </>
  );
}

/** Offered only if it is worth a click: faster by more than a tenth, or exact and as fast. */
function Better({ cost, advice }: { cost: Estimate; advice: Advice }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const formatMode = useModeText();
  const { chosen, reason } = advice;
  const exact = reason === 'plain_is_enough';
  if (chosen.sync === cost.sync || (!exact && cost.secondsPerStep <= 1.1 * chosen.secondsPerStep))
    return null;
  const time = formatDuration(chosen.secondsPerStep, language);
  return (
    <Tooltip
      multiline
      maw={340}
      label={
        <>
          {t(exact ? 'shell.estimate.whyExact' : 'shell.estimate.whyFaster')}
          <div>{t('shell.estimate.take', { mode: formatMode(chosen.sync), time })}</div>
        </>
      }
    >
      <Button
        variant="light"
        size="compact-sm"
        classNames={{ root: classes.better ?? '', label: classes.text ?? '' }}
        leftSection={<IconBolt size={14} aria-hidden />}
        onClick={() => takeSync(chosen.sync)}
      >
        {t(exact ? 'shell.estimate.takeExact' : 'shell.estimate.takeCompressed', { time })}
      </Button>
    </Tooltip>
  );
}
