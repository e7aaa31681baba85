/** Removes a run's folders from its nodes. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { isRunFolder } from '../../base/node-layout.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { RunServices } from '../record/services.ts';

/** All nodes or an error: the run is kept where a node fails, so that no folder is forgotten. */
export async function removeFromNodes(
  { reach, settings }: RunServices,
  run: RunRecord,
  signal?: AbortSignal,
): Promise<void> {
  const folders = new Map(run.ranks.map((rank) => [rank.nodeId, rank.directory.replace(/\/rank-\d+$/, '')]));
  await Promise.all(
    [...folders].map(async ([nodeId, folder]) => {
      if (!isRunFolder(folder, run.id)) return;
      const session = await reach.session(run.lab, nodeId, signal).catch((error: unknown) => {
        // With its pod the folder is gone.
        if (error instanceof RinglabError && error.code === 'pods_ended') return undefined;
        throw error;
      });
      await session?.run(`rm -rf ${shellQuote(folder)}`, { timeoutMs: settings.readTimeout, signal });
    }),
  );
}
