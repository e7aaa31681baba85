/**
 * Reads a run's `start` lines, and where ranks have left it or rejoined, or it went on from another run, also its `epoch` lines: how many
 * steps its epochs have, and where training was resumed.
 */
import { useEffect, useMemo, useState } from 'react';
import { metricNumber, rankSource, type MetricLine, type Point } from '../../../shared/metrics/metrics.ts';
import { absencesOf, firstMembers, maxMemberships } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { EpochSteps } from '../scale/epoch-steps.ts';
import { epochsOfLines } from './epochs-of-lines.ts';

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

/** @param others lines of a run whose epochs differ in length */
const read = (runId: string, starts: readonly MetricLine[], others: readonly MetricLine[]): Read => ({
  runId,
  epochs: epochsOfLines([...starts, ...others]),
  resumes: starts.slice(1).map((line) => ({ step: metricNumber(line.start_step) ?? 0, t: line.t })),
});

export function useStarts(run: RunRecord): Starts {
  const api = useApi();
  const { id: runId, memberships, formerFirsts, recovery, origin } = run;
  // Of a run that another one began, the epochs before are not known: ranks may have left in them.
  const isUneven =
    absencesOf({ memberships, recovery }).length > 0 ||
    (recovery?.rejoined?.length ?? 0) > 0 ||
    origin?.checkpoint !== undefined;
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
        ? sources.flatMap((source) => [
            lines('epoch', source, maxEpochs),
            lines('step', source, 1),
            // The epoch of each began before the loss.
            lines('membership', source, maxMemberships),
          ])
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
