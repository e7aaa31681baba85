/** The checkpoints of a run: metrics, file and integrity of each; a new run can continue from one, or it can be exported. */
import { Button } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckpointFile, VerifiedCheckpoint } from '../../../shared/run/checkpoint.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { firstMembers } from '../../../shared/run/membership.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { formatBytes, formatDuration, formatMoment, formatPercent } from '../../ui/index.ts';
import { EmptyNote, ErrorNote } from '../../ui/index.ts';
import { asRinglabError, report, subscribePoints, useLanguage } from '../../state/index.ts';
import { checkpointsOf, lastingFile, type WrittenCheckpoint } from './checkpoint-list.ts';
import { GoOnDialog } from '../dialogs/index.ts';
import classes from './Checkpoints.module.css';
import tables from './tables.module.css';
import { TestImage } from './TestImage.tsx';
import { useRunFiles } from '../../exchange/index.ts';

/** More epochs than a user looks through. */
const maxLines = 4000;
const noPoints: readonly Point[] = [];

function useCheckpoints(run: RunRecord): readonly WrittenCheckpoint[] {
  const { id: runId } = run;
  const firsts = firstMembers(run).join(' ');
  const api = useApi();
  const [known, setKnown] = useState<{ runId: string; points: readonly Point[] }>();
  useEffect(() => {
    const stop = new AbortController();
    const ask = (): void => {
      const linesOf = (rank: string): Promise<Point[]> => {
        const query = {
          runId,
          kinds: ['checkpoint', 'eval'],
          source: rankSource(Number(rank)),
          limit: maxLines,
        };
        return api.call('metrics.lines', query, stop.signal);
      };
      Promise.all(firsts.split(' ').map(linesOf)).then(
        (points) => setKnown({ runId, points: points.flat() }),
        (error: unknown) => {
          if (!stop.signal.aborted) report(asRinglabError(error));
        },
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || points.some(({ line }) => line.kind === 'checkpoint')) ask();
    });
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [api, runId, firsts]);
  const points = known?.runId === runId ? known.points : noPoints;
  return useMemo(() => checkpointsOf(points), [points]);
}

interface Verdict {
  readonly file: CheckpointFile;
  readonly found?: VerifiedCheckpoint;
  readonly error?: WireError;
}

export function Checkpoints({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const api = useApi();
  const checkpoints = useCheckpoints(run);
  const { busy, take } = useRunFiles(run.id);
  const [looking, setLooking] = useState<CheckpointFile>();
  const [verdict, setVerdict] = useState<Verdict>();
  const [from, setFrom] = useState<{ file: CheckpointFile; epoch: number }>();
  const nodeOf = ({ rank }: WrittenCheckpoint): string =>
    run.ranks.find((one) => one.rank === rank)?.nodeName ?? '';
  const verify = async (file: CheckpointFile): Promise<void> => {
    setLooking(file);
    setVerdict(undefined);
    try {
      setVerdict({ file, found: await api.call('checkpoint.verify', { runId: run.id, file }) });
    } catch (error) {
      setVerdict({ file, error: toWireError(error) });
    } finally {
      setLooking(undefined);
    }
  };
  const ended = isEnded(run.state);
  const files = new Set(checkpoints.flatMap((one) => one.files));
  if (checkpoints.length === 0) return <EmptyNote>{t('checkpoints.none')}</EmptyNote>;
  return (
    <div className={`${tables.scroll} ${classes.page}`}>
      {from !== undefined && <GoOnDialog run={run} {...from} onClose={() => setFrom(undefined)} />}
      <TestImage run={run} files={[...files].sort(bestFirst)} />
      {verdict?.error !== undefined && <ErrorNote error={verdict.error} />}
      {verdict?.found !== undefined && (
        <p className={classes.whole} role="status">
          <strong>{t('checkpoints.whole', { file: verdict.file })}</strong>{' '}
          {t('checkpoints.found', {
            architecture: verdict.found.architecture ?? '?',
            parameters: verdict.found.parameters.toLocaleString(language),
            tensors: verdict.found.tensors,
            entries: verdict.found.entries,
          })}
          <br />
          <code>SHA-256 {verdict.found.sha256}</code>
        </p>
      )}
      <table className={classes.table} aria-label={t('runs.tabs.checkpoints')}>
        <thead>
          <tr>
            {(['epoch', 'top1', 'written', 'size', 'stall', 'files'] as const).map((column) => (
              <th key={column} scope="col">
                {t(`checkpoints.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {checkpoints.map((one) => (
            <tr key={`${one.epoch} ${one.t}`} data-epoch={one.epoch}>
              <th scope="row">{one.epoch}</th>
              <td className={tables.number}>
                {one.top1 === undefined ? '–' : formatPercent(one.top1, language)}
                {one.best && <span className={classes.better}>{t('checkpoints.best')}</span>}
              </td>
              <td className={tables.number}>{formatMoment(one.t, language, Date.now() / 1000)}</td>
              <td className={tables.number}>
                {one.bytes === undefined ? '–' : formatBytes(one.bytes, language)}
              </td>
              <td className={tables.number}>
                {one.stall === undefined ? '–' : formatDuration(one.stall, language)}
              </td>
              <td className={classes.files} title={one.path}>
                <span className={classes.fileActions}>
                  {one.files.length === 0 && t('checkpoints.overwritten')}
                  {one.files.map((file) => (
                    <FileActions
                      key={file}
                      file={file}
                      exporting={busy.has(file)}
                      looking={looking === file}
                      onExport={() => take(file)}
                      onVerify={() => void verify(file)}
                    />
                  ))}
                  {one.files.length > 0 && <span>{t('checkpoints.on', { node: nodeOf(one) })}</span>}
                  <GoOn
                    checkpoint={one}
                    ended={ended}
                    onGoOn={(file) => setFrom({ file, epoch: one.epoch })}
                  />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FileActions(props: {
  file: CheckpointFile;
  exporting: boolean;
  looking: boolean;
  onExport: () => void;
  onVerify: () => void;
}) {
  const { t } = useTranslation();
  const { file } = props;
  return (
    <span className={classes.oneFile}>
      <code>{file}</code>
      <Button
        variant="default"
        size="compact-xs"
        loading={props.exporting}
        aria-label={t('checkpoints.exportFile', { file })}
        onClick={props.onExport}
      >
        {t('checkpoints.export')}
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        loading={props.looking}
        aria-label={t('checkpoints.verifyFile', { file })}
        onClick={props.onVerify}
      >
        {t('checkpoints.verify')}
      </Button>
    </span>
  );
}

/** Nothing if none of its files will still exist. */
function GoOn(props: {
  checkpoint: WrittenCheckpoint;
  ended: boolean;
  onGoOn: (file: CheckpointFile) => void;
}) {
  const { t } = useTranslation();
  const { checkpoint, ended, onGoOn } = props;
  const file = lastingFile(checkpoint, ended);
  if (file === undefined) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={t('checkpoints.resumeFile', { file })}
      onClick={() => onGoOn(file)}
    >
      {t('checkpoints.resume')}
    </Button>
  );
}

/** The best model, the newest, then the other kept ones, newest first. */
function bestFirst(a: CheckpointFile, b: CheckpointFile): number {
  const rank = (file: CheckpointFile): number =>
    file === 'model_best.pth.tar'
      ? Infinity
      : file === 'checkpoint.pth.tar'
        ? Number.MAX_VALUE
        : Number(/\d+/.exec(file)?.[0] ?? 0);
  const [first, second] = [rank(a), rank(b)];
  return first === second ? 0 : second > first ? 1 : -1;
}
