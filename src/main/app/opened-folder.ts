/** Opens the data folder: its rights, its format, its lock and its store. */
import { RinglabError, toWireError, type WireError } from '../../shared/base/errors.ts';
import { makePrivate } from '../base/data-folder.ts';
import { markFormat, refuseNewer } from '../base/data-format.ts';
import { createEventLog, type EventLog } from '../base/events.ts';
import type { Platform } from '../base/platform.ts';
import { reasonOf } from '../base/reason.ts';
import { openStore, type Store } from '../store/index.ts';

export interface OpenedFolder {
  /** Has what was repaired and what failed, as problems. */
  readonly events: EventLog;
  readonly store: Store;
}

/**
 * Resolves when the store's thread has started: `opened` settles when it has the folder. Each rejects with `data_folder_busy`
 * where another process owns the data folder, `data_folder_unsafe` where other users could change it, `data_folder_newer`
 * where a newer app has changed its layout.
 */
export async function openFolder(platform: Platform): Promise<{ readonly opened: Promise<OpenedFolder> }> {
  const { paths, version } = platform;
  await makePrivate(paths.data).catch((error: unknown) => {
    if (error instanceof RinglabError) throw error;
    // A home that is not there or read-only, a file in its place.
    throw new RinglabError(
      'file_unwritable',
      { path: paths.data, reason: reasonOf(error) },
      { cause: error },
    );
  });
  await refuseNewer(paths.data, version);
  return { opened: openWithStore(platform) };
}

async function openWithStore({ paths, version }: Platform): Promise<OpenedFolder> {
  const events = createEventLog();
  const onRepaired = (error: WireError): void => events.emit('app.problem', { error });
  const { store, repaired } = await openStore(paths.data, { onRepaired });
  // A full disk: the next start marks the folder.
  await markFormat(paths.data, version).catch((error: unknown) => {
    events.emit('app.problem', { error: toWireError(error) });
  });
  repaired.forEach(onRepaired);
  return { events, store };
}
