/** Validates the run and source of a store request; selects the clock offsets of the source. */
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import { Source } from '../../shared/metrics/metrics.ts';
import type { NodeClock } from '../../shared/node/node-clock.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { RunId } from './runs.ts';

/** The clock offsets of the node that wrote a source's lines. */
export function clocksOf(run: RunRecord, source: Source): readonly NodeClock[] | undefined {
  if (run.clocks === undefined) return undefined;
  const [, rank, node] = /^(?:rank-(\d+)|monitor-(.+))$/.exec(source) ?? [];
  const nodeId = node ?? run.ranks.find((one) => one.rank === Number(rank))?.nodeId;
  return nodeId === undefined ? undefined : run.clocks[nodeId];
}

export const noRun = (id: string): RinglabError => notFound('run', id);

/** Throws `bad_request` for an invalid run id. */
export function checkRunId(runId: string): void {
  if (!RunId.safeParse(runId).success)
    throw new RinglabError('bad_request', { path: 'runId', problem: runId });
}

/** Throws `bad_request` for an invalid source name. */
export function checkSource(source: string): Source {
  const parsed = Source.safeParse(source);
  if (!parsed.success) throw new RinglabError('bad_request', { path: 'source', problem: source });
  return parsed.data;
}
