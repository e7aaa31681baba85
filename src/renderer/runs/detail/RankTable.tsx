/** A table of all ranks: node, state, speed and exit. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError, detailLines } from '../../../shared/i18n/error-texts.ts';
import { isEnded, type RankRecord, type RunRecord } from '../../../shared/run/run.ts';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import { EmptyNote, formatNumber, StateLabel } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import { rankLook } from '../../theme/index.ts';
import { slowestRank, speedOf, usePulse } from '../why-slow/index.ts';
import { firstToFail } from './RunTrouble.tsx';
import classes from './RankTable.module.css';
import tables from './tables.module.css';

export function RankTable({ run, onOpenLog }: { run: RunRecord; onOpenLog: (rank: number) => void }) {
  const { t } = useTranslation();
  const pulse = usePulse(run);
  const first = firstToFail(run.ranks);
  const slow = isEnded(run.state) ? undefined : slowestRank(pulse);
  const colours = useMemo(
    () => new Map(run.lab.nodes.map((node, i) => [node.id, seriesColour(i)])),
    [run.lab],
  );
  if (run.ranks.length === 0) return <EmptyNote>{t('runs.rank.none')}</EmptyNote>;
  // The rank that failed first is listed first: its output explains the others' failures.
  const ranks = first === undefined ? run.ranks : [first, ...run.ranks.filter((rank) => rank !== first)];
  return (
    <div className={tables.scroll}>
      <table className={classes.table} aria-label={t('runs.rank.table')}>
        <thead>
          <tr>
            {(['rank', 'node', 'state', 'step', 'speed', 'process', 'exit', 'error', 'log'] as const).map(
              (column) => (
                <th key={column} scope="col">
                  {t(`runs.rank.${column}`)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <Row
              key={rank.rank}
              rank={rank}
              colour={colours.get(rank.nodeId)}
              slowest={rank.rank === slow}
              speed={speedOf(pulse, rank.rank)}
              onOpenLog={onOpenLog}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  rank: RankRecord;
  colour: string | undefined;
  slowest: boolean;
  speed: ReturnType<typeof speedOf>;
  onOpenLog: (rank: number) => void;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { rank, speed } = props;
  const look = rankLook[rank.state];
  const failure = rank.error === undefined ? undefined : describeError(rank.error, language);
  const open = t('runs.rank.openLog', { rank: rank.rank });
  return (
    <tr data-rank={rank.rank} data-state={rank.state}>
      <th scope="row">{rank.rank}</th>
      <td title={rank.directory}>
        <span className={classes.dot} style={{ background: props.colour }} aria-hidden />
        {rank.nodeName}
      </td>
      <td>
        <StateLabel look={look} size={13}>
          {t(`lab.rankState.${rank.state}`)}
        </StateLabel>
      </td>
      <td className={tables.number}>
        {speed.step === undefined ? '–' : speed.step.toLocaleString(language)}
      </td>
      <td className={tables.number}>
        {speed.imagesPerSecond === undefined ? '–' : formatNumber(speed.imagesPerSecond, language)}
        {props.slowest && (
          <span className={classes.slow} title={t('runs.rank.slowestHint')}>
            {t('runs.rank.slowest')}
          </span>
        )}
      </td>
      <td className={tables.number}>{rank.process?.pid ?? '–'}</td>
      <td>
        {rank.exit === undefined
          ? '–'
          : typeof rank.exit.signal === 'number'
            ? t('runs.rank.signal', { signal: rank.exit.signal })
            : t('runs.rank.code', { code: rank.exit.code ?? '?' })}
      </td>
      <td className={classes.errorCell}>
        {failure === undefined ? (
          '–'
        ) : (
          <>
            <strong>{failure.message}</strong> {failure.hint}
            {rank.error !== undefined && rank.error.detail !== undefined && (
              <pre>{detailLines(rank.error, language, 6).join('\n')}</pre>
            )}
          </>
        )}
      </td>
      <td>
        <Tooltip label={open}>
          <ActionIcon size={24} aria-label={open} onClick={() => props.onOpenLog(rank.rank)}>
            <IconFileText size={14} />
          </ActionIcon>
        </Tooltip>
      </td>
    </tr>
  );
}
