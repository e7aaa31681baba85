/** Waits, at the end of an own script's run, for what the nodes' collectors have not reported yet. */
import type { Point } from '../../../shared/metrics/metrics.ts';
import { rankSource, type Source } from '../../../shared/metrics/metrics.ts';
import { collectEndKind } from '../../../shared/run/newest-of-ranks.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunServices } from '../record/services.ts';

export interface Collection {
  readonly appended: (source: Source, points: readonly Point[]) => void;
  /** Resolves when everything of this attempt's ranks has been read, or after `collectPatience`. */
  ended(run: RunRecord): Promise<void>;
}

export function createCollection(
  { clock, settings }: Pick<RunServices, 'clock' | 'settings'>,
  signal: AbortSignal,
): Collection {
  /** The attempt whose last line each rank's collector has written; a requeued job's writes on. */
  const attempts = new Map<Source, number>();
  let check = (): void => undefined;
  return {
    appended(source, points) {
      for (const { line } of points)
        if (line.kind !== collectEndKind) attempts.delete(source);
        else if (typeof line.attempt === 'number') attempts.set(source, line.attempt);
      check();
    },
    async ended({ ranks, attempt, unreachable }) {
      const done = new AbortController();
      check = () => {
        const missing = ranks.some(
          ({ rank, nodeId }) =>
            unreachable[nodeId] === undefined && (attempts.get(rankSource(rank)) ?? 0) < attempt,
        );
        if (!missing) done.abort();
      };
      check();
      if (!done.signal.aborted)
        await clock
          .sleep(settings.collectPatience, AbortSignal.any([done.signal, signal]))
          .catch(() => undefined);
    },
  };
}
