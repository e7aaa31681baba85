/** Adds what has happened to the records of active runs. */
import { isUnderWay } from '../../../shared/run/run.ts';
import { secondsNow, type Clock } from '../../base/clock.ts';
import { withEvents } from '../record/history.ts';
import type { ActiveRun } from './active-run.ts';
import type { Runs } from './contract.ts';

export const eventRequests = (
  active: ReadonlyMap<string, Pick<ActiveRun, 'record' | 'change'>>,
  clock: Clock,
): Pick<Runs, 'note' | 'linksChanged'> => ({
  async note(runId, happened) {
    await active.get(runId)?.change((record) => withEvents(record, happened));
  },
  async linksChanged(labId, what) {
    const run = [...active.values()].find(({ record }) => record.labId === labId && isUnderWay(record.state));
    if (run === undefined || what.length === 0) return;
    const t = secondsNow(clock);
    const happened = what.map((one) => ({ t, kind: 'link' as const, what: one.slice(0, 300) }));
    await run.change((record) => withEvents(record, happened));
  },
});
