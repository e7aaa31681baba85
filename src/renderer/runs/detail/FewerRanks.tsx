/** Of a run that went on without lost ranks: who was lost when and why, how many are left, and the way back for the lost ones. */
import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { canRejoin, lostMembers, replaceable, spareNodes } from '../../../shared/run/membership.ts';
import type { WantedReplacement } from '../../../shared/run/recovery.ts';
import { fewerText } from '../../../shared/run/run-notice.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { wasAway, wayBack } from '../../../shared/run/way-back.ts';
import { useApi } from '../../api/index.ts';
import { rejoin } from '../../commands/index.ts';
import { Diagnoses } from '../../nodes/index.ts';
import { useLabStore, useLanguage, useNetworkState } from '../../state/index.ts';
import { LastWords } from './RunTrouble.tsx';
import classes from './RunTrouble.module.css';

type OpenLog = (rank: number) => void;

export function FewerRanks({ run, onOpenLog }: { run: RunRecord; onOpenLog: OpenLog }) {
  const { t } = useTranslation();
  const api = useApi();
  const language = useLanguage();
  const [preparing, setPreparing] = useState(false);
  const lab = useLabStore((store) => store.lab);
  const { memberships = [], ranks, state, recovery } = run;
  const last = memberships.at(-1);
  if (last === undefined) return null;
  const lost = lostMembers(run);
  const numbers = {
    nodes: [...new Set(lost.map(({ nodeName }) => nodeName))].join(', '),
    left: last.ranks.length,
    all: ranks.length,
  };
  const isBusy = preparing || recovery?.rejoins === true;
  const missing = replaceable(run);
  const spare = lab?.id === run.labId ? spareNodes(lab, run) : [];
  const start = (replace?: WantedReplacement[]): void => {
    setPreparing(true);
    void rejoin(run, { api }, replace).finally(() => setPreparing(false));
  };
  return (
    <div className={`${classes.trouble} ${classes.fewer}`}>
      <details className={classes.lastWords}>
        <summary>{t(state === 'finished' ? 'runs.fewer.finished' : 'runs.fewer.now', numbers)}</summary>
        <ol className={classes.problems} aria-label={t('runs.fewer.list')}>
          {memberships.toReversed().map((one) => (
            <li key={one.generation}>
              {[
                new Date(one.t * 1000).toLocaleTimeString(language),
                t('runs.fewer.from', { step: one.step }),
                fewerText(one, ranks, language),
              ].join(' · ')}
            </li>
          ))}
        </ol>
        {lost.map((rank) => (
          <LostRank key={rank.rank} rank={rank} onOpenLog={onOpenLog} />
        ))}
      </details>
      <ComingBack run={run} lost={lost} />
      {missing.length > 0 && spare.length > 0 && (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button variant="default" size="compact-xs" title={t('runs.fewer.replaceHint')} disabled={isBusy}>
              {t('runs.fewer.replace')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {missing.flatMap((nodeId) =>
              spare.map(({ id, name }) => (
                <Menu.Item key={`${nodeId} ${id}`} onClick={() => start([{ nodeId, by: id }])}>
                  {t('runs.fewer.replaceBy', {
                    lost: ranks.find((rank) => rank.nodeId === nodeId)?.nodeName ?? nodeId,
                    by: name,
                  })}
                </Menu.Item>
              )),
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {canRejoin(run, run.lab.experiment, ranks.length) && (
        <Button
          variant="default"
          size="compact-xs"
          title={t('runs.fewer.rejoinHint')}
          loading={isBusy}
          onClick={() => start()}
        >
          {t('runs.fewer.rejoin')}
        </Button>
      )}
    </div>
  );
}

/** How a lost rank ended. */
function LostRank({ rank, onOpenLog }: { rank: RankRecord; onOpenLog: OpenLog }) {
  const language = useLanguage();
  if (rank.error === undefined) return null;
  return (
    <>
      <p className={classes.cause}>{describeError(rank.error, language).message}</p>
      {rank.diagnoses !== undefined && <Diagnoses diagnoses={rank.diagnoses} onRetry={undefined} />}
      <LastWords rank={rank} open={false} onOpenLog={onOpenLog} />
    </>
  );
}

/** Whether the lost ranks rejoin by themselves, and what that waits for; of one that failed, why. */
function ComingBack({ run, lost }: { run: RunRecord; lost: readonly RankRecord[] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const links = useNetworkState(run.labId)?.links ?? [];
  const down = links.flatMap((link) => (link.down ? [link.linkId] : []));
  const way = wayBack(run, down, Date.now() / 1000);
  if (way === undefined || way.waits === 'end') return null;
  const failed = lost.find((rank) => rank.error !== undefined && !wasAway(rank))?.error;
  const text =
    way.waits === 'links' || way.waits === 'nodes'
      ? t(`runs.fewer.back.${way.waits}`, { names: way.names.join(', '), count: way.names.length })
      : way.waits === 'nothing'
        ? t('runs.fewer.back.nothing')
        : failed === undefined
          ? ''
          : describeError(failed, language).message;
  return text === '' ? null : (
    <span className={classes.comingBack} role="status">
      {text}
    </span>
  );
}
