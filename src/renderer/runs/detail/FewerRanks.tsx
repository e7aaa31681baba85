/** Of a run that went on without lost ranks: who was lost when, how many are left, and the way back for the lost ones. */
import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { canRejoin, replaceable, spareNodes } from '../../../shared/run/membership.ts';
import type { WantedReplacement } from '../../../shared/run/recovery.ts';
import { fewerText } from '../../../shared/run/run-notice.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { rejoin } from '../../commands/index.ts';
import { useLabStore, useLanguage } from '../../state/index.ts';
import classes from './RunTrouble.module.css';

export function FewerRanks({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const api = useApi();
  const language = useLanguage();
  const [preparing, setPreparing] = useState(false);
  const lab = useLabStore((store) => store.lab);
  const { memberships = [], ranks, state, recovery } = run;
  const last = memberships.at(-1);
  if (last === undefined) return null;
  const numbers = { left: last.ranks.length, all: ranks.length };
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
      </details>
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
