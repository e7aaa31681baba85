/** The facts of a script's run: its progress, the time left, and the newest value of its main scalar. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import { scalarField, scalarKind, type RunOutputs } from '../../../shared/run/run-outputs.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { lastOf, useFeed } from '../../charts/index.ts';
import { useLanguage } from '../../state/index.ts';
import { formatDuration, formatNumber, formatQuantity } from '../../ui/index.ts';
import { mainScalar, secondsLeft, shareOf } from './script-facts.ts';

/** Only the newest is shown. */
const maxPoints = 64;

export interface ScriptFacts {
  readonly facts: readonly string[];
  /** From 0 to 1; 0 where it is unknown. */
  readonly share: number;
}

/** @param now Unix seconds */
export function useScriptFacts(run: RunRecord, outputs: RunOutputs | undefined, now: number): ScriptFacts {
  const { t } = useTranslation();
  const language = useLanguage();
  const name = useMemo(() => mainScalar(outputs?.scalars ?? []), [outputs]);
  const rank = outputs?.scalars.find((scalar) => scalar.name === name)?.ranks[0]?.rank;
  const keys = useMemo(
    () =>
      name === undefined || rank === undefined
        ? []
        : [{ source: rankSource(rank), kind: scalarKind, field: scalarField(name) }],
    [name, rank],
  );
  const feed = useFeed({ runId: run.id, keys, x: 't', range: undefined, maxPoints });
  const [key] = keys;
  const newest = key === undefined ? undefined : lastOf(feed?.track(key));
  const progress = outputs?.progress;
  const number = (value: number): string => formatNumber(value, language);
  const facts: string[] = [];
  if (progress?.epoch !== undefined) {
    const { epoch: done, epochs: total } = progress;
    facts.push(
      total === undefined
        ? t('outputs.epoch', { done: number(done) })
        : t('outputs.epochOf', { done: number(done), total: number(total) }),
    );
  }
  if (progress?.step !== undefined) {
    const { step, steps: total } = progress;
    facts.push(
      total === undefined
        ? t('outputs.step', { step: number(step) })
        : t('outputs.stepOf', { step: number(step), total: number(total) }),
    );
  }
  if (run.state === 'running') {
    if (progress === undefined) facts.push(t('outputs.unknown'));
    else {
      const left = secondsLeft(progress, now);
      facts.push(
        left === undefined
          ? t('runs.header.remainingUnknown')
          : t('runs.header.remaining', { time: formatDuration(Math.round(left), language) }),
      );
    }
  }
  if (name !== undefined && newest !== undefined)
    facts.push(
      t('outputs.value', { name, value: formatQuantity(newest.y ?? Number.NaN, 'plain', language) }),
    );
  const share = run.state === 'finished' ? 1 : progress === undefined ? 0 : (shareOf(progress) ?? 0);
  return { facts, share };
}
