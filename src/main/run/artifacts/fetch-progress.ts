/** Reports how far the download of a run's file is, at most about a hundred times. */
import type { RunServices } from '../record/services.ts';

/** Smaller files are here before anybody reads a number. */
const minBytes = 256 * 1024;

export function fetchProgress(
  { events }: Pick<RunServices, 'events'>,
  runId: string,
  artifact: string,
): (progress: { readonly done: number; readonly total: number }) => void {
  let reported: number | undefined;
  return ({ done, total }) => {
    if (total < minBytes) return;
    if (reported !== undefined && done - reported < Math.max(total / 100, minBytes)) return;
    reported = done;
    events.emit('artifact.progress', { runId, artifact, done, total });
  };
}
