/**
 * Removes what the local nodes of deleted labs have put in the data folder, once nothing can bring the lab back: it is not stored, it is
 * no longer in the trash, and no run, not even one in the bin, has it.
 */
import { markDeleted, markedLabs, removeLeft, unmarkDeleted } from '../local/index.ts';
import { removeUnusedWheels } from '../provision/index.ts';
import { createSerialQueue } from '../base/serial-queue.ts';
import type { Labs } from '../lab/index.ts';
import type { Store } from '../store/index.ts';

export interface LeftNodes {
  /** Removes what no lab needs any more. What cannot be removed now is tried again later. */
  remove(): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

interface Parts {
  readonly dataFolder: string;
  readonly labs: Pick<Labs, 'ids' | 'restorable'>;
  readonly store: Pick<Store, 'listRuns' | 'problems'>;
}

export function createLeftNodes({ dataFolder, labs, store }: Parts): LeftNodes {
  const inTurn = createSerialQueue();
  const removeNow = async (): Promise<void> => {
    const trash = await labs.restorable();
    if (trash === undefined) return;
    const stored = new Set(await labs.ids());
    for (const labId of trash) if (!stored.has(labId)) await markDeleted(dataFolder, labId);
    const marked = await markedLabs(dataFolder);
    // Restored, or imported under its id.
    for (const labId of marked) if (stored.has(labId)) await unmarkDeleted(dataFolder, labId);
    const gone = marked.filter((labId) => !stored.has(labId) && !trash.includes(labId));
    // A run that cannot be read may be of any lab.
    if (gone.length === 0 || (await store.problems()).length > 0) return;
    const ofRuns = new Set((await store.listRuns()).flatMap(({ labId, lab }) => [labId, lab.id]));
    const unneeded = gone.filter((labId) => !ofRuns.has(labId));
    for (const labId of unneeded) await removeLeft(dataFolder, labId).catch(() => undefined);
    if (unneeded.length > 0) await removeUnusedWheels(dataFolder);
  };
  return { remove: () => inTurn(removeNow), settled: () => inTurn.settled() };
}
