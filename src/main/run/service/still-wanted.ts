/** Whether a run that waited for its start is still to start: the user may have changed or removed it meanwhile. */
import { notFound } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import type { Store } from '../../store/index.ts';
import { wrongState } from '../record/wrong-state.ts';

/** The record as it is now. Rejects with `not_found`, and with `run_wrong_state` where it left the queue or is in the bin. */
export async function stillWanted(store: Pick<Store, 'getRun'>, before: RunRecord): Promise<RunRecord> {
  // Not recorded yet.
  if (before.state === 'draft') return before;
  const now = await store.getRun(before.id);
  if (now === undefined) throw notFound('run', before.id);
  if (now.state !== before.state || now.binned !== undefined)
    throw wrongState(now, phrase('reasons.run.startNew'));
  return now;
}
