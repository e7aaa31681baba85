/** Applies the user's annotations to a run's record. Pure. */
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunAnnotation } from './contract.ts';

/** @param now Unix seconds */
export const annotated = (run: RunRecord, change: RunAnnotation, now: number): RunRecord => ({
  ...run,
  name: change.name ?? run.name,
  notes: change.notes ?? run.notes,
  tags: change.tags === undefined ? run.tags : [...new Set(change.tags)],
  starred: change.starred ?? run.starred,
  pins: change.pins === undefined ? run.pins : [...change.pins],
  colour: change.colour === undefined ? run.colour : (change.colour ?? undefined),
  archivedAt: change.archived === undefined ? run.archivedAt : change.archived ? now : undefined,
});
