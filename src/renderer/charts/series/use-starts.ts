/** Reads a run's `start` lines, and where ranks have left it or rejoined also its `epoch` lines: how many steps its epochs have, and where training was resumed. */
import { useEffect, useMemo, useState } from 'react';
import { metricNumber, rankSource, type MetricLine, type Point } from '../../../shared/metrics/metrics.ts';
import { firstMembers } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import { epochSteps, type EpochMark, type EpochSteps } from '../scale/epoch-steps.ts';

export interface Starts {
  /** Unknown before the first rank started. */
  readonly epochs: EpochSteps | undefined;
  /** Where each later attempt continued: step, and Unix seconds. */
  readonly resumes: readonly { readonly step: number; readonly t: number }[];
}
interface Read extends Starts {
  readonly runId: string;
}
const nothing: Starts = { epochs: undefined, resumes: [] };

/** The maximum number of resumes that are marked: the newest. */
const maxResumes = 20;
/** Epochs before them are spread evenly. */
const maxEpochs = 5000;

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** Where epochs ended, of the lines of all ranks that had rank 0's part. */
function marksOf(lines: readonly MetricLine[]): EpochMark[] {
  const ends = lines.flatMap((line) => {
    const [step, epoch] = [metricNumber(line.step), metricNumber(line.epoch)];
    return line.kind === 'epoch' && step !== undefined && epoch !== undefined
      ? [{ t: line.t, step, epoch: epoch + 1 }]
      : [];
  });
  return ends.toSorted((a, b) => a.t - b.t);
}

/** @param others lines of a run whose epochs differ in length */
function read(runId: string, starts: readonly MetricLine[], others: readonly MetricLine[]): Read {
  const newest = others.filter(({ kind }) => kind === 'step').toSorted((a, b) => b.t - a.t)[0];
  const last = starts.at(-1);
  const started = positive(metricNumber(last?.steps_per_epoch));
  const isNewer = newest !== undefined && newest.t > (last?.t ?? 0);
  const steps = (isNewer ? positive(metricNumber(newest.batches)) : undefined) ?? started;
  return {
    runId,
    epochs: steps === undefined ? undefined : epochSteps(marksOf(others), steps),
    resumes: starts.slice(1).map((line) => ({ step: metricNumber(line.start_step) ?? 0, t: line.t })),
  };
}

export function useStarts(run: RunRecord): Starts {
  const api = useApi();
  const { id: runId, memberships, formerFirsts, recovery } = run;
  const isUneven = (memberships?.length ?? 0) > 0 || (recovery?.rejoined?.length ?? 0) > 0;
  const firsts = firstMembers({ memberships, formerFirsts }).join(' ');
  const sources = useMemo(() => firsts.split(' ').map((rank) => rankSource(Number(rank))), [firsts]);
  const [starts, setStarts] = useState<Read>({ runId, ...nothing });
  useEffect(() => {
    const stop = new AbortController();
    const own = rankSource(0);
    const lines = async (kind: string, source: string, limit: number): Promise<MetricLine[]> => {
      const points = await api.call('metrics.lines', { runId, kinds: [kind], source, limit }, stop.signal);
      return points.map(({ line }: Point) => line);
    };
    const ask = (): void => {
      const wanted = isUneven
        ? sources.flatMap((source) => [lines('epoch', source, maxEpochs), lines('step', source, 1)])
        : [];
      Promise.all([lines('start', own, maxResumes + 1), ...wanted]).then(
        ([first, ...others]) => setStarts(read(runId, first, others.flat())),
        () => undefined, // The charts report that the run's data is missing; here only the marks are lost.
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      const isNews = ({ source, line }: Point): boolean =>
        (source === own && line.kind === 'start') ||
        (isUneven && (line.kind === 'epoch' || line.kind === 'membership') && sources.includes(source));
      if (truncated || points.some(isNews)) ask();
    });
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [api, runId, isUneven, sources]);
  return starts.runId === runId ? starts : nothing;
}
