/** Explains what a step waits for, each cause with a suggestion. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { describeLine, type RankProfile } from '../../../shared/run/rank-profile.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { formatPercent } from '../../ui/index.ts';
import { useAllSamples } from '../../nodes/index.ts';
import { useLanguage } from '../../state/index.ts';
import { heatOf } from './rank-heat.ts';
import { timesOf } from './rank-pulse.ts';
import { TimeShares } from './TimeShares.tsx';
import classes from './WhySlow.module.css';
import { usePulse } from './use-pulse.ts';
import { hintFor } from './why-hints.ts';
import { whyScriptSlow } from './why-script-slow.ts';
import { whySlow, type Finding } from './why-slow.ts';

/** @param profiles of an own script's ranks; empty for the trainer, whose steps have their own times */
export function WhySlow({ run, profiles }: { run: RunRecord; profiles: readonly RankProfile[] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const pulse = usePulse(run);
  const samples = useAllSamples(run.id);
  const found = useMemo(() => {
    const heat = heatOf(run.ranks, samples);
    return profiles.length === 0 ? whySlow({ ranks: timesOf(pulse), heat }) : whyScriptSlow(profiles, heat);
  }, [pulse, samples, run, profiles]);
  if (found.length === 0) return null;
  const nameOf = (rank: number): string => {
    const node = run.ranks.find((one) => one.rank === rank)?.nodeName ?? '';
    return t('runs.line.rank', { rank, node });
  };
  const percent = (share: number): string => formatPercent(100 * share, language);
  const link = run.estimate?.bottleneck?.join(' – ');
  const describe = (finding: Finding): string => {
    switch (finding.code) {
      case 'data':
        return finding.rank === undefined
          ? t('why.data', { share: percent(finding.share) })
          : t('why.dataOf', { share: percent(finding.share), rank: nameOf(finding.rank) });
      case 'slowRank':
        return finding.slower === undefined
          ? t('why.slowRankAlone', { rank: nameOf(finding.rank), share: percent(finding.share) })
          : t('why.slowRank', {
              rank: nameOf(finding.rank),
              times: finding.slower.toFixed(1),
              share: percent(finding.share),
            });
      case 'throttled':
        return t('why.throttled', {
          rank: nameOf(finding.rank),
          celsius: Math.round(finding.celsius),
          megahertz: Math.round(finding.megahertz),
        });
      case 'network':
        return link === undefined
          ? t('why.network', { share: percent(finding.share) })
          : t('why.networkAt', { share: percent(finding.share), link });
      case 'saving':
        return t('why.saving', { rank: nameOf(finding.rank), share: percent(finding.share) });
      case 'line':
        return t('why.line', {
          rank: nameOf(finding.rank),
          share: percent(finding.share),
          place: describeLine(finding.place),
        });
      case 'compile':
        return t('why.compile', { share: percent(finding.share) });
      case 'compute':
        return t('why.compute', { share: percent(finding.share) });
    }
  };
  return (
    <section className={classes.why} aria-label={t('why.title')}>
      <h3>{t('why.title')}</h3>
      <ul>
        {found.map((finding) => {
          const message = describe(finding);
          const hint = t(`why.${hintFor(finding, run)}`, { workers: run.lab.experiment.workers });
          return (
            <li key={message} data-why={finding.code}>
              <strong>{message}</strong> {hint}
            </li>
          );
        })}
      </ul>
      {profiles.length > 0 && <TimeShares profiles={profiles} nameOf={nameOf} />}
    </section>
  );
}
