/** A heat map of every node, or of every GPU of the run, over the whole run: shows which are idle, and when. */
import { SegmentedControl } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { monitorSource, type SeriesKey } from '../../shared/metrics/metrics.ts';
import { trainingNodes } from '../../shared/lab/lab.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { formatBytes, formatPercent, useSize } from '../ui/index.ts';
import { lastOf, useFeed } from '../charts/index.ts';
import { useLanguage } from '../state/index.ts';
import { carry, heatField, heatFull, stretches, type HeatMetric } from './heat.ts';
import { HeatScale } from './HeatScale.tsx';
import classes from './HeatStrip.module.css';
import { gpuIndices } from './own-gpus.ts';
import { noSamples } from './sample-feed.ts';
import { useAllSamples } from './use-samples.ts';

const labelWidth = 120;
const rowHeight = 14;
/** A cell's width in pixels: half as many points as pixels are requested. */
const cellWidth = 4;
/** The maximum number of series in a request. */
const maxRows = 256;
const noKeys: readonly SeriesKey[] = [];

export function HeatStrip({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const samples = useAllSamples(run.id);
  const [chosen, setChosen] = useState<HeatMetric>();
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const nodes = trainingNodes(run.lab);
  const gpusOf = (nodeId: string): number[] => gpuIndices(samples.get(nodeId) ?? noSamples);
  const hasGpus = nodes.some((node) => gpusOf(node.id).length > 0);
  const metric = chosen ?? (hasGpus ? 'utilisation' : 'cpu');
  const rows = nodes
    .flatMap((node) =>
      metric === 'cpu'
        ? [{ name: node.name, nodeId: node.id, gpu: 0 }]
        : gpusOf(node.id).map((index) => ({
            name: `${node.name} · ${t('runs.node.gpuNumber', { index })}`,
            nodeId: node.id,
            gpu: index,
          })),
    )
    .slice(0, maxRows);
  const identity = rows.map((row) => `${row.nodeId} ${row.gpu}`).join('\n');
  const keys = useMemo(
    () =>
      identity === ''
        ? noKeys
        : rows.map(({ nodeId, gpu }): SeriesKey => ({
            source: monitorSource(nodeId),
            kind: 'sample',
            field: heatField(metric, gpu),
          })),
    // The rows' identity shows whether they are the same.
    [identity, metric],
  );
  const cells = Math.max(0, Math.floor((width - labelWidth) / cellWidth));
  const feed = useFeed({
    runId: run.id,
    keys,
    x: 't',
    range: undefined,
    maxPoints: cells === 0 ? 0 : Math.min(800, 2 * cells),
  });
  const tracks = keys.map((key) => feed?.track(key));
  const from = Math.min(...tracks.map((track) => track?.x[0] ?? Number.POSITIVE_INFINITY));
  const to = Math.max(...tracks.map((track) => track?.x.at(-1) ?? Number.NEGATIVE_INFINITY));
  const known = from < to;
  // Samples arrive once a second: a shorter range has none of its own.
  const bridge = known ? Math.ceil((3 * cells) / (to - from)) : 0;
  const strips = known ? tracks.map((track) => carry(stretches(track, { from, to }, cells), bridge)) : [];
  const largest = strips.flat().reduce<number>((max, cell) => Math.max(max, cell ?? 0), 0);
  const full = Math.max(heatFull(metric), largest) || 1;
  const formatValue = (value: number): string =>
    metric === 'temperature'
      ? `${Math.round(value)} °C`
      : metric === 'power'
        ? `${Math.round(value)} W`
        : metric === 'memory'
          ? formatBytes(value, language)
          : formatPercent(value, language);
  return (
    <section className={classes.heat} aria-label={t('runs.node.heat')}>
      <div className={classes.heatHead}>
        <h3>{t('runs.node.heat')}</h3>
        {hasGpus && (
          <SegmentedControl
            aria-label={t('runs.node.heatMetric')}
            value={metric}
            onChange={setChosen}
            data={(['utilisation', 'memory', 'temperature', 'power', 'cpu'] as const).map((value) => ({
              value,
              label: t(`runs.node.heatOf.${value}`),
            }))}
          />
        )}
      </div>
      <div ref={box} className={classes.heatRows}>
        {known &&
          rows.map((row, index) => {
            const last = lastOf(tracks[index]);
            const value = typeof last?.y === 'number' ? formatValue(last.y) : '–';
            return (
              <div key={`${row.nodeId} ${row.gpu}`} className={classes.heatRow}>
                <span className={classes.heatName} title={row.name}>
                  {row.name}
                </span>
                <Strip
                  cells={strips[index] ?? []}
                  full={full}
                  label={t('runs.node.heatRow', { name: row.name, value })}
                />
              </div>
            );
          })}
      </div>
      {known && rows.length > 0 && (
        <HeatScale
          start={run.startedAt ?? from}
          from={from}
          to={to}
          width={cells * cellWidth}
          min={formatValue(0)}
          max={formatValue(full)}
        />
      )}
    </section>
  );
}

function Strip(props: { cells: readonly (number | undefined)[]; full: number; label: string }) {
  const { cells, full } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const paint = element?.getContext('2d');
    if (element === null || paint === null || paint === undefined) return;
    const { color } = getComputedStyle(element);
    paint.clearRect(0, 0, element.width, element.height);
    paint.fillStyle = color;
    cells.forEach((cell, i) => {
      if (cell === undefined) return;
      // One hue, from faint to full: it also reads without colours.
      paint.globalAlpha = 0.06 + 0.94 * Math.min(1, Math.max(0, cell / full));
      paint.fillRect(i * cellWidth, 0, cellWidth, rowHeight);
    });
  });
  return (
    <canvas
      ref={canvas}
      className={classes.strip}
      width={Math.max(1, cells.length * cellWidth)}
      height={rowHeight}
      role="img"
      aria-label={props.label}
      title={props.label}
    />
  );
}
