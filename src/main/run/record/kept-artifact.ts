/** Where a run's files are on this computer once they were fetched. Pure. */
import { join } from 'node:path';
import type { Store } from '../../store/index.ts';

export const keptArtifact = (store: Pick<Store, 'runFolder'>, runId: string, name: string): string =>
  join(store.runFolder(runId), 'artifacts', name);
