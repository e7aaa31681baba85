/** The logs of a run, a tab for each rank: the end of the file, followed live, with search and copy. */
import { ActionIcon, Button, Switch, TextInput, Tooltip } from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { IconArrowBarToDown, IconCopy, IconListSearch, IconSearch } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/base/language.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { clearOnEscape, formatBytes, formatSecond, useSize, visibleRows } from '../../ui/index.ts';
import { EmptyNote, ErrorNote } from '../../ui/index.ts';
import { subscribeLog, useLanguage } from '../../state/index.ts';
import { rankLook, StateIcon } from '../../theme/index.ts';
import { LogSearch } from './LogSearch.tsx';
import { followLog, type LogFollower, type LogView } from './log-follower.ts';
import { emptyTail, search, type LogLine } from './log-tail.ts';
import classes from './logs.module.css';

export interface LogPanelProps {
  readonly run: RunRecord;
  /** One rank's log, or the search results in all of them. */
  readonly rank: number | 'all';
  readonly onRank: (rank: number | 'all') => void;
}

export function LogPanel({ run, rank, onRank }: LogPanelProps) {
  const { t } = useTranslation();
  if (run.ranks.length === 0) return <EmptyNote>{t('runs.rank.none')}</EmptyNote>;
  const several = run.ranks.length > 1;
  const shown =
    run.ranks.some((one) => one.rank === rank) || (several && rank === 'all')
      ? rank
      : (run.ranks[0]?.rank ?? 0);
  const tabs = [...(several ? (['all'] as const) : []), ...run.ranks.map((one) => one.rank)];
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = tabs[(tabs.indexOf(shown) + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onRank(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-log-rank="${next}"]`)?.focus();
  };
  return (
    <div className={classes.logs}>
      <div className={classes.rankTabs} role="tablist" aria-label={t('runs.log.ranks')} onKeyDown={move}>
        {several && (
          <button
            type="button"
            role="tab"
            id="log-tab-all"
            data-log-rank="all"
            aria-selected={shown === 'all'}
            aria-controls="log-panel"
            tabIndex={shown === 'all' ? 0 : -1}
            onClick={() => onRank('all')}
          >
            <IconListSearch size={13} aria-hidden />
            {t('logSearch.all')}
          </button>
        )}
        {run.ranks.map((one) => (
          <button
            key={one.rank}
            type="button"
            role="tab"
            id={`log-tab-${one.rank}`}
            data-log-rank={one.rank}
            aria-selected={one.rank === shown}
            aria-controls="log-panel"
            tabIndex={one.rank === shown ? 0 : -1}
            onClick={() => onRank(one.rank)}
          >
            <StateIcon look={rankLook[one.state]} size={12} />
            {t('runs.line.rank', { rank: one.rank, node: one.nodeName })}
          </button>
        ))}
      </div>
      <div id="log-panel" role="tabpanel" aria-labelledby={`log-tab-${shown}`} className={classes.logPanel}>
        {shown === 'all' ? (
          <LogSearch run={run} onRank={onRank} />
        ) : (
          <RankLog key={`${run.id} ${shown} ${run.attempt}`} runId={run.id} rank={shown} />
        )}
      </div>
    </div>
  );
}

const loading: LogView = { phase: 'loading', tail: emptyTail, restarted: false };
/** Pixels; the style sheet sets the same. */
const rowHeight = 16;

function useLog(runId: string, rank: number): { view: LogView; follower: LogFollower | undefined } {
  const api = useApi();
  const [view, setView] = useState<LogView>(loading);
  const [follower, setFollower] = useState<LogFollower>();
  useEffect(() => {
    const own = followLog({ api, runId, rank, subscribe: (listener) => subscribeLog(runId, listener) });
    let frame: number | undefined;
    setFollower(own);
    setView(own.view());
    own.onChange(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setView(own.view());
      });
    });
    return () => {
      own.close();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [api, runId, rank]);
  return { view, follower };
}

function RankLog({ runId, rank }: { runId: string; rank: number }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { view, follower } = useLog(runId, rank);
  const [text, setText] = useState('');
  const [follow, setFollow] = useState(true);
  const [wantsTimes, setWantsTimes] = useLocalStorage({ key: 'ringlab.log.times', defaultValue: true });
  const clipboard = useClipboard();
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const { tail } = view;
  const lines = search(tail.lines, text);
  const haveTimes = tail.lines.some((line) => line.t !== undefined);
  const times = haveTimes && wantsTimes;
  const rows = visibleRows(lines.length, rowHeight, top, height);

  useLayoutEffect(() => {
    if (!follow || box.current === null) return;
    box.current.scrollTop = box.current.scrollHeight;
    setTop(box.current.scrollTop);
  }, [follow, lines.length, height, tail]);

  const notes = [
    ...(view.restarted ? [t('runs.log.restarted')] : []),
    ...(tail.skippedBytes > 0
      ? [t('runs.log.skipped', { bytes: formatBytes(tail.skippedBytes, language) })]
      : []),
    ...(tail.droppedLines > 0 ? [t('runs.log.dropped', { count: tail.droppedLines })] : []),
  ];
  return (
    <>
      <div className={classes.logTools}>
        <TextInput
          className={classes.logSearch ?? ''}
          aria-label={t('runs.log.search')}
          placeholder={t('runs.log.search')}
          leftSection={<IconSearch size={13} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={clearOnEscape(text, () => setText(''))}
        />
        {text !== '' && (
          <span className={classes.found}>{t('runs.log.matches', { count: lines.length })}</span>
        )}
        <span className={classes.logNotes}>{notes.join(' · ')}</span>
        {haveTimes && (
          <Tooltip label={t('runs.log.timesHint')}>
            <Switch
              size="xs"
              label={t('runs.log.times')}
              checked={wantsTimes}
              onChange={(event) => setWantsTimes(event.currentTarget.checked)}
            />
          </Tooltip>
        )}
        <Tooltip label={t('runs.log.followHint')}>
          <Switch
            size="xs"
            label={t('runs.log.follow')}
            checked={follow}
            onChange={(event) => setFollow(event.currentTarget.checked)}
          />
        </Tooltip>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconCopy size={13} />}
          onClick={() => clipboard.copy(lines.map((line) => line.text).join('\n'))}
        >
          {clipboard.error !== null
            ? t('runs.log.copyFailed')
            : clipboard.copied
              ? t('runs.log.copied')
              : t('runs.log.copy')}
        </Button>
      </div>
      {view.error !== undefined && (
        <div className={classes.logError}>
          <ErrorNote error={toWireError(view.error)} />
          <Button variant="default" size="compact-xs" onClick={() => follower?.reload()}>
            {t('runs.retry')}
          </Button>
        </div>
      )}
      <div className={classes.logFrame}>
        <div
          ref={box}
          className={classes.log}
          role="log"
          aria-live="off"
          aria-label={t('runs.log.title', { rank })}
          aria-busy={view.phase === 'loading'}
          data-lines={tail.lines.length}
          tabIndex={0}
          onScroll={({ currentTarget: at }) => {
            setTop(at.scrollTop);
            // Scrolling up stops following; scrolling to the end follows again.
            setFollow(at.scrollHeight - at.scrollTop - at.clientHeight < rowHeight * 1.5);
          }}
        >
          {lines.length === 0 ? (
            <EmptyNote>
              {view.phase === 'loading'
                ? t('runs.loading')
                : text === ''
                  ? t('runs.log.empty')
                  : t('runs.log.noMatch', { text })}
            </EmptyNote>
          ) : (
            <div className={classes.logRows} style={{ height: lines.length * rowHeight }}>
              <pre style={{ transform: `translateY(${rows.from * rowHeight}px)` }}>
                {lines.slice(rows.from, rows.to).map((line, i) => (
                  <Line key={rows.from + i} line={line} term={text} times={times} language={language} />
                ))}
              </pre>
            </div>
          )}
        </div>
        {!follow && (
          <Tooltip label={t('runs.log.toEnd')} position="left">
            <ActionIcon
              className={classes.toEnd ?? ''}
              variant="filled"
              color="petrol"
              radius="xl"
              aria-label={t('runs.log.toEnd')}
              onClick={() => setFollow(true)}
            >
              <IconArrowBarToDown size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly term: string;
  /** Whether lines begin with the time at which they arrived. */
  readonly times: boolean;
  readonly language: Language;
}

/** The match is marked in the line. */
function Line({ line: { text, t }, term, times, language }: LineProps) {
  const at = term === '' ? -1 : text.toLowerCase().indexOf(term.toLowerCase());
  return (
    <div className={classes.logLine}>
      {times && (
        <span
          className={classes.arrival}
          title={t === undefined ? undefined : formatSecond(t, language, 'with the date')}
        >
          {t === undefined ? '' : formatSecond(t, language)}
        </span>
      )}
      {at < 0 ? (
        text
      ) : (
        <>
          {text.slice(0, at)}
          <mark>{text.slice(at, at + term.length)}</mark>
          {text.slice(at + term.length)}
        </>
      )}
    </div>
  );
}
