/** Whether ranks on a node that this computer does not reach train on, by the steps of the others: only the app's own way to the node may be gone. */
import { leftOut } from '../../../shared/run/membership.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

export interface TrainsUnseen {
  /** Notes new lines, which come from nodes that are reached. */
  appended(points: readonly Point[]): void;
  /** Whether a rank on one of these nodes must be training. @param ended how each rank ended that has, by its number */
  on(nodeIds: readonly string[], ended: ReadonlyMap<number, unknown>): boolean;
}

export function createTrainsUnseen(
  { clock, settings }: Pick<RunServices, 'clock' | 'settings'>,
  keeper: Pick<RecordKeeper, 'current'>,
): TrainsUnseen {
  let steppedAt = -Infinity;
  return {
    appended(points) {
      if (points.some(({ line }) => line.kind === 'step')) steppedAt = clock.ticks();
    },
    on(nodeIds, ended) {
      const { current } = keeper;
      // The trainer's ranks exchange in each step, or each few; a script's need not.
      if (current.lab.experiment.script !== undefined || clock.ticks() - steppedAt > settings.stepsWithin)
        return false;
      const without = new Set(leftOut(current).map(({ rank }) => rank));
      return current.ranks.some(
        ({ rank, nodeId }) => nodeIds.includes(nodeId) && !ended.has(rank) && !without.has(rank),
      );
    },
  };
}
