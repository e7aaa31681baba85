/** What a request to the store names, a run and one of its sources, checked; and the clock that dates the source's lines. */
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import { Source } from '../../shared/metrics/metrics.ts';
import type { NodeClock } from '../../shared/node/node-clock.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { RunId } from './runs.ts';

/** What is known of the clock that a source's lines are dated with. */
export function clocksOf(run: RunRecord, source: Source): readonly NodeClock[] | undefined {
  if (run.clocks === undefined) return undefined;
  const [, rank, node] = /^(?:rank-(\d+)|monitor-(.+))$/.exec(source) ?? [];
  const nodeId = node ?? run.ranks.find((one) => one.rank === Number(rank))?.nodeId;
  return nodeId === undefined ? undefined : run.clocks[nodeId];
}

export const noRun = (id: string): RinglabError => notFound('run', id);

/** Throws `bad_request` for what is no id of a run. */
export function checkRunId(runId: string): void {
  if (!RunId.safeParse(runId).success)
    throw new RinglabError('bad_request', { path: 'runId', problem: 'not a run id' });
}

/** Throws `bad_request` for what is no name of a source. */
export function checkSource(source: string): Source {
  const parsed = Source.safeParse(source);
  if (!parsed.success) throw new RinglabError('bad_request', { path: 'source', problem: 'not a source' });
  return parsed.data;
}
