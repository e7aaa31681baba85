/** The checkpoints and other files that a script wrote: size, age, rank, and the value of a scalar when each appeared. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { rankSource, type Series } from '../../../shared/metrics/metrics.ts';
import {
  outputRef,
  scalarField,
  scalarKind,
  type OutputFile,
  type RunOutputs,
  type RunScalar,
} from '../../../shared/run/run-outputs.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { useLanguage, useNow } from '../../state/index.ts';
import { EmptyNote, formatBytes, formatDuration, formatMoment, formatQuantity } from '../../ui/index.ts';
import { useRunFiles } from '../../exchange/index.ts';
import classes from './Checkpoints.module.css';
import { bestFile, valueAt } from './output-files.ts';
import tables from './tables.module.css';

/** Along time; a run's files are fewer than its points. */
const maxPoints = 5000;

/** The scalar's series of its lowest rank, read again when more points of it are stored. */
function useValues(runId: string, scalar: RunScalar | undefined): Series | undefined {
  const api = useApi();
  const [series, setSeries] = useState<Series>();
  const rank = scalar?.ranks[0];
  const key =
    scalar === undefined || rank === undefined
      ? undefined
      : { source: rankSource(rank.rank), kind: scalarKind, field: scalarField(scalar.name) };
  const wanted = key === undefined ? '' : `${key.source} ${key.field} ${rank?.points ?? 0}`;
  useEffect(() => {
    setSeries(undefined);
    if (key === undefined) return undefined;
    const stop = new AbortController();
    api.call('metrics.series', { runId, series: [key], x: 't', maxPoints }, stop.signal).then(
      ([found]) => setSeries(found),
      () => undefined, // The charts report that the run's data is missing; here only the values are.
    );
    return () => stop.abort();
    // The key is made at each render: `wanted` says whether it is the same.
  }, [api, runId, wanted]);
  return series;
}

export function OutputFiles({ run, outputs }: { run: RunRecord; outputs: RunOutputs }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow(true);
  const { busy, take } = useRunFiles(run.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const [highest, setHighest] = useState(false);
  const { files, scalars } = outputs;
  const scalar = scalars.find(({ name }) => name === chosen);
  const series = useValues(run.id, scalar);
  const values = useMemo(
    () => files.map((file) => (series === undefined ? undefined : valueAt(series, file.t))),
    [files, series],
  );
  const best = bestFile(values, highest);
  const nodes = new Map(run.ranks.map(({ rank, nodeName }) => [rank, nodeName]));
  if (files.length === 0) return <EmptyNote>{t('outputs.none')}</EmptyNote>;
  return (
    <div className={tables.scroll}>
      <div className={classes.choose}>
        <Select
          size="xs"
          w={240}
          searchable
          clearable
          aria-label={t('outputs.by')}
          placeholder={t('outputs.by')}
          value={chosen}
          onChange={setChosen}
          data={scalars.map(({ name }) => name)}
        />
        {scalar !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label={t('outputs.bestIs')}
            value={highest ? 'highest' : 'lowest'}
            onChange={(value) => setHighest(value === 'highest')}
            data={(['lowest', 'highest'] as const).map((value) => ({ value, label: t(`outputs.${value}`) }))}
          />
        )}
        <span className={classes.hint}>{t('outputs.hint')}</span>
      </div>
      <table className={classes.table} aria-label={t('outputs.title')}>
        <thead>
          <tr>
            <th scope="col">{t('outputs.file')}</th>
            {scalar !== undefined && <th scope="col">{scalar.name}</th>}
            <th scope="col">{t('checkpoints.size')}</th>
            <th scope="col">{t('checkpoints.written')}</th>
            <th scope="col">{t('outputs.rank')}</th>
            <th scope="col">{t('outputs.fetch')}</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file, index) => (
            <Row
              key={outputRef(file)}
              file={file}
              node={nodes.get(file.rank) ?? ''}
              value={
                scalar === undefined
                  ? undefined
                  : values[index] === undefined
                    ? '–'
                    : formatQuantity(values[index] ?? Number.NaN, 'plain', language)
              }
              best={best === index}
              size={formatBytes(file.bytes, language)}
              written={`${formatMoment(file.modified, language, now)} · ${t('outputs.age', {
                time: formatDuration(Math.max(0, Math.round(now - file.modified)), language),
              })}`}
              busy={busy.has(outputRef(file))}
              onFetch={() => take(outputRef(file))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  readonly file: OutputFile;
  readonly node: string;
  /** Undefined where no scalar is chosen. */
  readonly value: string | undefined;
  readonly best: boolean;
  readonly size: string;
  readonly written: string;
  readonly busy: boolean;
  readonly onFetch: () => void;
}) {
  const { t } = useTranslation();
  const { file } = props;
  return (
    <tr data-file={file.path}>
      <th scope="row">
        <code>{file.path}</code>
        {props.best && <span className={classes.better}>{t('outputs.best')}</span>}
      </th>
      {props.value !== undefined && <td className={tables.number}>{props.value}</td>}
      <td className={tables.number}>{props.size}</td>
      <td className={tables.number}>{props.written}</td>
      <td>{t('runs.line.rank', { rank: file.rank, node: props.node })}</td>
      <td>
        <Button
          variant="default"
          size="compact-xs"
          loading={props.busy}
          aria-label={t('checkpoints.exportFile', { file: file.path })}
          onClick={props.onFetch}
        >
          {t('checkpoints.export')}
        </Button>
      </td>
    </tr>
  );
}
