/** Ends the ranks of a run that was given up while they trained on: what they save is what the next attempt continues from. */
import type { RunRecord } from '../../../shared/run/run.ts';
import { rankOrder } from '../launch/orders.ts';
import type { Launcher } from '../record/launcher.ts';
import type { RunServices } from '../record/services.ts';
import { stopGrace } from './stop-grace.ts';

/**
 * Resolves when none of an earlier attempt's ranks runs any more, or those that do have not ended within the time that a step and a save
 * take: starting kills these. Before the checkpoint to continue from is chosen, and once the nodes answer.
 * @param run its next attempt
 */
export async function endEarlier(
  { store, clock, settings }: Pick<RunServices, 'store' | 'clock' | 'settings'>,
  launcher: Launcher,
  run: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  // Those that took part have saved and ended; what is left of a lost rank is frozen, and nothing that it would save counts.
  if (launcher.earlier === undefined || run.recovery?.rejoins === true) return;
  const earlier = launcher.earlier.bind(launcher);
  const nodes = Map.groupBy(
    run.ranks.filter(({ directory }) => directory !== ''),
    ({ nodeId }) => nodeId,
  );
  const anyRuns = async (asks: boolean): Promise<boolean> => {
    const asked = [...nodes.values()].map((ranks) =>
      earlier(
        ranks.map((rank) => rankOrder(run, rank)),
        asks,
        signal,
      ),
    );
    return (await Promise.all(asked)).includes(true);
  };
  if (!(await anyRuns(true))) return;
  const until = clock.ticks() + (await stopGrace(store, run, settings));
  while (clock.ticks() < until && (await anyRuns(false))) await clock.sleep(settings.lookEvery, signal);
}
