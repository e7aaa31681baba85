/** How long ranks that are asked to stop may take before they are killed: they end their step, and save, which takes minutes for a large model over a slow link. */
import { firstMember } from '../../../shared/run/membership.ts';
import { metricNumber, rankSource } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { parseSyncMode } from '../../../shared/settings/index.ts';
import type { Store } from '../../store/index.ts';
import type { RunSettings } from '../record/settings.ts';

/** As many of the newest steps and saves are read. */
const linesRead = 20;
/** Of steps, where ranks exchange only once in a period of steps: there the longest step is one in so many. */
const mostLinesRead = 2000;
/** Seconds, where none was measured: a gigabyte on a slow disk. */
const assumedSave = 30;
/** A step may be that much longer than those before it, and so may a save. */
const margin = 3;
/** Milliseconds; what a node says does not keep a run from its end for longer. */
const longestGrace = 3_600_000;

/**
 * Milliseconds, from the newest steps and saves of the rank that writes the checkpoint.
 * @param settings `stopGrace` is the least, and `rejoinGrace` where nobody waits for the end: the ranks stop for others to rejoin
 */
export async function stopGrace(
  store: Pick<Store, 'lines'>,
  run: RunRecord,
  settings: Pick<RunSettings, 'stopGrace' | 'rejoinGrace'>,
): Promise<number> {
  const isRejoin = run.recovery?.rejoins === true && run.state !== 'stopping';
  const least = isRejoin ? Math.max(settings.rejoinGrace, settings.stopGrace) : settings.stopGrace;
  const source = rankSource(firstMember(run));
  const longest = async (kind: string, field: string, limit = linesRead): Promise<number | undefined> => {
    const lines = await store.lines({ runId: run.id, kinds: [kind], source, limit });
    const seconds = lines.flatMap(({ line }) => metricNumber(line[field]) ?? []).filter(Number.isFinite);
    return seconds.length === 0 ? undefined : Math.max(...seconds);
  };
  const step = await longest('step', 'step_seconds', stepsRead(run.lab.experiment.sync));
  // There is nothing to save yet, or it is a script.
  if (step === undefined) return least;
  const save = (await longest('checkpoint', 'seconds')) ?? assumedSave;
  return Math.min(Math.max(least, 1000 * margin * (step + save)), Math.max(least, longestGrace));
}

/** A period, and so the exchange at the end of the last one. */
function stepsRead(sync: string): number {
  const { period = 1, qsr = 0, adapt = 0 } = parseSyncMode(sync) ?? {};
  // With these the period grows while the run trains.
  return qsr > 0 || adapt > 0 ? mostLinesRead : Math.min(linesRead + period - 1, mostLinesRead);
}
