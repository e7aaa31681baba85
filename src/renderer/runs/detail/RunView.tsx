/** One run: its error first, then its progress, then its tabs. */
import { Button, Tabs } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RankProfile } from '../../../shared/run/rank-profile.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { RunCharts, useOutputs } from '../../charts/index.ts';
import { EmptyNote, ErrorNote } from '../../ui/index.ts';
import { UtilisationPanel } from '../../nodes/index.ts';
import { putRun, runPages, showRunPage, useRunsView, type RunPage } from '../../state/index.ts';
import { Checkpoints } from './Checkpoints.tsx';
import { CollectiveWaits } from './CollectiveWaits.tsx';
import { CollectProblems } from './CollectProblems.tsx';
import { OutputFiles } from './OutputFiles.tsx';
import { JobLine } from './JobLine.tsx';
import { LogPanel } from '../logs/LogPanel.tsx';
import { Preparation } from './Preparation.tsx';
import { RankTable } from './RankTable.tsx';
import { FewerRanks } from './FewerRanks.tsx';
import { Restarts } from './Restarts.tsx';
import { RunFacts } from './RunFacts.tsx';
import { RunTrouble } from './RunTrouble.tsx';
import { HeldRun } from './HeldRun.tsx';
import { RunWait } from './RunWait.tsx';
import classes from './RunView.module.css';
import trouble from './RunTrouble.module.css';
import { WhySlow } from '../why-slow/index.ts';

/** The default tab: preparation while there is nothing to draw, then the charts. */
function firstView(
  run: Pick<RunRecord, 'state' | 'step' | 'epochsCompleted' | 'attempt' | 'ranks'>,
): RunPage {
  const drawn = run.step > 0 || run.epochsCompleted > 0;
  if (run.state === 'draft' || run.state === 'preparing' || run.state === 'starting') {
    return drawn ? 'charts' : 'preparation';
  }
  if (run.state === 'failed' && !drawn)
    return run.ranks.some((rank) => rank.exit !== undefined) ? 'ranks' : 'preparation';
  return 'charts';
}

const none: readonly RankProfile[] = [];

export function RunView({ runId, run }: { runId: string; run: RunRecord | undefined }) {
  const { t } = useTranslation();
  const chosen = useRunsView(({ page }) => (page?.runId === runId ? page.name : undefined));
  const [rank, setRank] = useState<number | 'all'>(0);
  const problem = useProblem(runId, run === undefined);
  const outputs = useOutputs(runId);
  const openLog = useCallback(
    (of: number) => {
      setRank(of);
      showRunPage(runId, 'logs');
    },
    [runId],
  );
  if (run === undefined) {
    return problem.error === undefined ? (
      <EmptyNote aria-busy="true">{t('runs.loading')}</EmptyNote>
    ) : (
      <div className={trouble.trouble}>
        <ErrorNote error={problem.error} />
        <Button variant="default" size="compact-xs" onClick={problem.again}>
          {t('runs.retry')}
        </Button>
      </div>
    );
  }
  const view = chosen ?? firstView(run);
  return (
    <>
      <RunTrouble run={run} onOpenLog={openLog} />
      <JobLine run={run} />
      <RunWait run={run} />
      <HeldRun run={run} />
      <CollectiveWaits run={run} outputs={outputs} />
      <Restarts run={run} />
      <FewerRanks run={run} onOpenLog={openLog} />
      <CollectProblems problems={outputs?.problems ?? []} />
      <Tabs
        className={classes.views ?? ''}
        value={view}
        keepMounted={false}
        onChange={(value) => {
          const name = runPages.find((one) => one === value);
          if (name !== undefined) showRunPage(runId, name);
        }}
      >
        <div className={classes.viewBar}>
          <Tabs.List aria-label={t('runs.tabs.label')}>
            {runPages.map((one) => (
              <Tabs.Tab key={one} value={one} className={classes.viewTab ?? ''}>
                {t(`runs.tabs.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <RunFacts run={run} outputs={outputs} />
        </div>
        <Tabs.Panel className={classes.view ?? ''} value="charts">
          <RunCharts run={run} outputs={outputs} />
        </Tabs.Panel>
        <Tabs.Panel className={classes.view ?? ''} value="nodes">
          <UtilisationPanel run={run} lead={<WhySlow run={run} profiles={outputs?.profiles ?? none} />} />
        </Tabs.Panel>
        <Tabs.Panel className={classes.view ?? ''} value="ranks">
          <RankTable run={run} onOpenLog={openLog} />
        </Tabs.Panel>
        <Tabs.Panel className={classes.view ?? ''} value="logs">
          <LogPanel run={run} rank={rank} onRank={setRank} />
        </Tabs.Panel>
        <Tabs.Panel className={classes.view ?? ''} value="checkpoints">
          {run.lab.experiment.script === undefined ? (
            <Checkpoints run={run} />
          ) : (
            outputs !== undefined && <OutputFiles run={run} outputs={outputs} />
          )}
        </Tabs.Panel>
        <Tabs.Panel className={classes.view ?? ''} value="preparation">
          <Preparation run={run} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** If a requested record takes longer than this, the reason is shown. */
const patienceMs = 1500;

/** Why a run's record is missing: the state requests it, but does not report failures. */
function useProblem(runId: string, missing: boolean): { error: WireError | undefined; again: () => void } {
  const api = useApi();
  const [error, setError] = useState<WireError>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setError(undefined);
    if (!missing) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        api.call('run.get', { runId }, stop.signal).then(putRun, (caught: unknown) => {
          if (!stop.signal.aborted) setError(toWireError(caught));
        });
      },
      attempt === 0 ? patienceMs : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, runId, missing, attempt]);
  return { error, again: () => setAttempt((count) => count + 1) };
}
