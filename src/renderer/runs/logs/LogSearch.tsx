/** Searches the logs of all ranks, merged by time. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withUnseen } from '../../../shared/base/plain-text.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import { clearOnEscape, formatBytes, formatClock, useSize, visibleRows } from '../../ui/index.ts';
import { EmptyNote, ErrorNote } from '../../ui/index.ts';
import { useLanguage } from '../../state/index.ts';
import classes from './logs.module.css';
import { useFoundLines } from './use-found-lines.ts';

/** Pixels; the style sheet sets the same. */
const rowHeight = 16;

/** Ranks named in a note. */
const maxNamed = 6;

const rankList = (ranks: readonly number[]): string =>
  `${ranks.slice(0, maxNamed).join(', ')}${ranks.length > maxNamed ? ', …' : ''}`;

export function LogSearch({ run, onRank }: { run: RunRecord; onRank: (rank: number) => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [text, setText] = useState('');
  const { found, error } = useFoundLines(run, text.trim());
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const lines = found?.lines ?? [];
  const rows = visibleRows(lines.length, rowHeight, top, height);
  const start = run.startedAt ?? run.createdAt;
  const colourOf = (rank: number): string => {
    const nodeId = run.ranks.find((one) => one.rank === rank)?.nodeId;
    return seriesColour(run.lab.nodes.findIndex((node) => node.id === nodeId));
  };
  const beyond =
    found?.beyond === undefined
      ? undefined
      : t('logSearch.beyond', {
          count: found.beyond.ranks.length,
          bytes: formatBytes(found.beyond.bytes, language),
          ranks: rankList(found.beyond.ranks),
        });
  return (
    <>
      <div className={classes.logTools}>
        <TextInput
          className={classes.logSearch ?? ''}
          aria-label={t('logSearch.search')}
          placeholder={t('logSearch.search')}
          leftSection={<IconSearch size={13} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={clearOnEscape(text, () => setText(''))}
        />
        <span className={classes.found} role="status">
          {found === undefined
            ? ''
            : found.total > lines.length
              ? t('logSearch.foundNewest', {
                  count: found.total,
                  shown: lines.length.toLocaleString(language),
                })
              : t('logSearch.found', { count: found.total })}
        </span>
        <span className={classes.logNotes} title={beyond}>
          {beyond}
        </span>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <div className={classes.logFrame}>
        <div
          ref={box}
          className={classes.log}
          role="log"
          aria-live="off"
          aria-label={t('logSearch.title')}
          aria-busy={found === undefined}
          data-lines={lines.length}
          tabIndex={0}
          onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        >
          {found !== undefined && lines.length === 0 ? (
            <EmptyNote>{text === '' ? t('runs.log.empty') : t('runs.log.noMatch', { text })}</EmptyNote>
          ) : (
            <div className={classes.logRows} style={{ height: lines.length * rowHeight }}>
              <pre style={{ transform: `translateY(${rows.from * rowHeight}px)` }}>
                {lines.slice(rows.from, rows.to).map((line) => (
                  <div key={`${line.rank} ${line.number}`} className={classes.logLine} data-rank={line.rank}>
                    <span className={classes.logTime} title={t('logSearch.time')}>
                      {line.t === undefined ? '' : formatClock(line.t - start)}
                    </span>
                    <button
                      type="button"
                      className={classes.logRank}
                      style={{ borderColor: colourOf(line.rank) }}
                      title={t('logSearch.open', { rank: line.rank, number: line.number })}
                      aria-label={t('logSearch.open', { rank: line.rank, number: line.number })}
                      onClick={() => onRank(line.rank)}
                    >
                      {line.rank}
                    </button>
                    {withUnseen(line.text)}
                  </div>
                ))}
              </pre>
            </div>
          )}
        </div>
      </div>
    </>
  );
}
