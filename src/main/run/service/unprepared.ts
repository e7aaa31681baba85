/** A run whose app ended before anything of it was started: there is nothing to follow. */
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import { isRecovery } from '../recovery/recovery.ts';
import type { ActiveRun } from './active-run.ts';

export const nothingStarted = (run: RunRecord): boolean =>
  run.state === 'draft' || (run.state === 'preparing' && !isRecovery(run)) || run.ranks.length === 0;

/** Records that it is interrupted. @param now Unix seconds */
export async function interruptUnprepared(run: Pick<ActiveRun, 'change'>, now: number): Promise<void> {
  const reason = phrase('reasons.run.unprepared');
  await run.change((record) => (record.state === 'draft' ? { ...record, state: 'preparing' } : record));
  await run.change((record) => ({
    ...record,
    state: 'interrupted',
    endedAt: now,
    error: toWireError(new RinglabError('run_interrupted', { reason, epoch: record.epochsCompleted })),
  }));
}
