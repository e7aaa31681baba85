/** A run's error at the top of its view: what happened, what to do, and the last output of the rank that failed. */
import { Button } from '@mantine/core';
import { IconFileCode, IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lostMembers } from '../../../shared/run/membership.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { formatDuration } from '../../ui/index.ts';
import { Diagnoses } from '../../nodes/index.ts';
import { ErrorNote } from '../../ui/index.ts';
import { openScript, useLanguage } from '../../state/index.ts';
import classes from './RunTrouble.module.css';
import { scriptPlace } from './script-place.ts';
import { useNow } from '../../state/index.ts';

/** The rank that failed first: the others usually fail because of it. */
export function firstToFail(ranks: readonly RankRecord[]): RankRecord | undefined {
  return ranks
    .filter((rank) => rank.state === 'failed' || rank.state === 'lost')
    .toSorted((a, b) => (a.exit?.t ?? Number.MAX_VALUE) - (b.exit?.t ?? Number.MAX_VALUE))
    .toSorted((a, b) => Number(a.error?.code === 'peer_lost') - Number(b.error?.code === 'peer_lost'))[0];
}

export function RunTrouble({ run, onOpenLog }: { run: RunRecord; onOpenLog: (rank: number) => void }) {
  const { t } = useTranslation();
  // Where the others go on, FewerRanks says of a lost rank how it ended: that is no trouble of the run.
  const lost = new Set(run.error === undefined ? lostMembers(run) : []);
  const rank = firstToFail(run.ranks.filter((one) => !lost.has(one)));
  const lastLines = rank?.lastWords ?? [];
  const error = run.error ?? rank?.error;
  const unreachable = Object.entries(run.unreachable);
  if (error === undefined && unreachable.length === 0) return null;
  return (
    <div className={classes.trouble}>
      {unreachable.length > 0 && <Unreachable run={run} />}
      {error !== undefined && <ErrorNote error={error} />}
      {run.recovery?.ended !== undefined && <p>{t(`noRestart.${run.recovery.ended}`)}</p>}
      {error !== undefined && <OpenScript run={run} texts={[error.detail ?? '', ...lastLines]} />}
      {rank?.diagnoses !== undefined && <Diagnoses diagnoses={rank.diagnoses} onRetry={undefined} />}
      {rank !== undefined && error !== undefined && <LastWords rank={rank} open onOpenLog={onOpenLog} />}
    </div>
  );
}

/** The last lines that a rank wrote; nothing where it wrote none. */
export function LastWords({
  rank,
  open,
  onOpenLog,
}: {
  rank: RankRecord;
  open: boolean;
  onOpenLog: (rank: number) => void;
}) {
  const { t } = useTranslation();
  const { lastWords = [] } = rank;
  if (lastWords.length === 0) return null;
  return (
    <details className={classes.lastWords} open={open}>
      <summary>
        {t('runs.trouble.rank', { rank: rank.rank, node: rank.nodeName })}: {t('runs.trouble.lastWords')}
      </summary>
      <pre tabIndex={0} aria-label={t('runs.trouble.lastWords')}>
        {lastWords.join('\n')}
      </pre>
      <Button variant="subtle" size="compact-xs" onClick={() => onOpenLog(rank.rank)}>
        {t('runs.trouble.openLog')}
      </Button>
    </details>
  );
}

/** Leads to the line of the user's script that the error names, where that script is a folder of this computer. */
function OpenScript({ run, texts }: { run: RunRecord; texts: readonly string[] }) {
  const { t } = useTranslation();
  if (run.lab.experiment.script?.source.type !== 'folder') return null;
  const place = scriptPlace(texts);
  if (place === undefined) return null;
  return (
    <Button
      variant="light"
      size="compact-sm"
      leftSection={<IconFileCode size={14} />}
      onClick={() => openScript({ labId: run.labId, ...place })}
    >
      {t('script.editor.openAt', { file: place.file, line: place.line })}
    </Button>
  );
}

function Unreachable({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow(true);
  const since = Math.min(...Object.values(run.unreachable));
  const names = Object.keys(run.unreachable).map(
    (id) => run.lab.nodes.find((node) => node.id === id)?.name ?? id,
  );
  return (
    <p className={classes.unreachable} role="status">
      <IconPlugConnectedX size={15} aria-hidden />
      {t('runs.trouble.unreachable', {
        nodes: names.join(', '),
        time: formatDuration(Math.max(0, Math.floor(now - since)), language),
      })}
    </p>
  );
}
