/** Asks a run's ranks to end, and says how long they may take: those that can still save get the time for it. */
import { lostRankOf } from '../../../shared/run/membership.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import type { Signaller } from './signaller.ts';
import { stopGrace } from './stop-grace.ts';
import type { RankEnd } from './verdict.ts';

export interface AskedToEnd {
  /** SIGTERM, and SIGKILL to those that have not saved in the time that a step and a save take; `atOnce`: SIGKILL to all. */
  toSave(atOnce?: boolean): void;
  /** After a rank has failed: the same where the others' save counts, else SIGKILL soon. */
  afterFailure(ends: readonly RankEnd[]): void;
}

/**
 * Whether ranks that are left when another has failed may be in the middle of a save that counts. With `restart` they save what they have
 * when they lose a rank, and the next attempt continues from it. A node that is given up was perhaps only out of this
 * computer's sight: then all ranks are healthy.
 */
const savesCount = (policy: string, ends: readonly RankEnd[]): boolean =>
  policy === 'restart' || ends.some(({ how }) => how === 'lost' || how === 'nonsense');

export function createAskedToEnd(
  { store, settings }: Pick<RunServices, 'store' | 'settings'>,
  keeper: Pick<RecordKeeper, 'current'>,
  signaller: Pick<Signaller, 'stop'>,
): AskedToEnd {
  const rankCount = keeper.current.ranks.length;
  const toSave = (atOnce = false): void => {
    signaller.stop(rankCount, atOnce ? 0 : Infinity);
    if (atOnce) return;
    const killAfter = (grace: number): void => signaller.stop(rankCount, grace);
    stopGrace(store, keeper.current, settings).then(killAfter, () => killAfter(settings.stopGrace));
  };
  return {
    toSave,
    afterFailure(ends) {
      const { current } = keeper;
      // A script's ranks save when they choose to.
      if (current.lab.experiment.script === undefined && savesCount(lostRankOf(current), ends)) toSave();
      else signaller.stop(rankCount, settings.failGrace);
    },
  };
}
