/** One line that says what the run waits for, with bytes and time where they are known: no wait of a second is silent. */
import { Loader } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { Language } from '../../../shared/base/language.ts';
import { restartPoint } from '../../../shared/run/run-notice.ts';
import { isUnderWay, type RunRecord } from '../../../shared/run/run.ts';
import { useStarts } from '../../charts/index.ts';
import { useLanguage, useNetworkState, useNow, useProvisionStore } from '../../state/index.ts';
import { formatBytes, formatDuration } from '../../ui/index.ts';
import { runWait, type RunWait as Wait } from './run-wait.ts';
import classes from './RunWait.module.css';

export function RunWait({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow(isUnderWay(run.state));
  const { epochs } = useStarts(run);
  const nodes = useProvisionStore(
    useShallow((state) => Object.values(state.nodes).filter(({ labId }) => labId === run.labId)),
  );
  const links = useNetworkState(run.labId)?.links;
  const down = links?.filter((link) => link.down).map(({ linkId }) => linkId);
  const wait = runWait(run, nodes, epochs !== undefined, now, down);
  const key = wait === undefined ? '' : wait.what === 'step' ? `${wait.node} ${wait.step.id}` : wait.what;
  const [since, setSince] = useState(now);
  useEffect(() => setSince(Date.now() / 1000), [key]);
  if (wait === undefined) return null;
  const took = Math.floor(now - since);
  return (
    <p className={classes.wait} data-wait={wait.what}>
      <Loader size={12} aria-hidden />
      <span className={classes.text} role="status">
        {textOf(wait, t, language, now)}
      </span>
      {/* Apart: a screen reader would read the whole line again each second. */}
      {took >= 1 && (
        <span className={classes.time}>{t('runs.wait.soFar', { time: formatDuration(took, language) })}</span>
      )}
    </p>
  );
}

function textOf(of: Wait, t: TFunction, language: Language, now: number): string {
  const duration = (seconds: number): string => formatDuration(Math.max(1, Math.round(seconds)), language);
  switch (of.what) {
    case 'begins':
      return t('runs.wait.begins');
    case 'step': {
      const { progress, id, instead } = of.step;
      const bytes =
        progress?.unit === 'bytes'
          ? t('runs.node.of', {
              used: formatBytes(progress.done, language),
              total: formatBytes(progress.total, language),
            })
          : '';
      return [
        t('runs.wait.step', { node: of.node, step: t(`inspector.step.${instead ?? id}`) }),
        bytes,
        of.left === undefined ? '' : t('runs.wait.left', { time: duration(of.left) }),
        of.more === 0 ? '' : t('runs.wait.more', { count: of.more }),
      ]
        .filter((part) => part !== '')
        .join(' · ');
    }
    case 'weights': {
      const bytes = formatBytes(of.bytes, language);
      return of.seconds === undefined
        ? t('runs.wait.weights', { bytes })
        : t('runs.wait.weightsOver', { bytes, time: duration(of.seconds) });
    }
    case 'firstStep':
      return of.seconds === undefined
        ? t('runs.wait.firstStep')
        : t('runs.wait.firstStepOf', { time: formatDuration(of.seconds, language) });
    case 'link':
      return t('runs.wait.link', { names: of.names.join(', ') });
    case 'rejoin':
      return t('runs.wait.rejoin');
    case 'recovery': {
      const { wait } = of;
      const from = restartPoint(of.from, language);
      if (wait === undefined) return t('runs.wait.recovery', { from });
      if (wait.for !== 'backOff')
        return t(`runs.wait.recoveryOf.${wait.for}`, { from, names: wait.names.join(', ') });
      const left = Math.max(0, (wait.until ?? now) - now);
      return t('runs.wait.recoveryIn', { from, time: duration(left) });
    }
    case 'launch':
    case 'rendezvous':
    case 'stop':
      return t(`runs.wait.${of.what}`, { count: of.ranks });
  }
}
