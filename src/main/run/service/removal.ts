/** Removes a run's folders from its nodes. */
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { isRunFolder } from '../../base/node-layout.ts';
import { phrase } from '../../i18n/index.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { RunServices } from '../record/services.ts';

const folderOf = (directory: string): string => directory.replace(/\/rank-\d+$/, '');

/**
 * All nodes or an error: the run is kept where a node fails, so that no folder is forgotten. Nodes of which others took the place may be
 * gone for good: those that fail are named to the user, and keep no run.
 */
export async function removeFromNodes(
  { reach, settings, events, launcher }: RunServices,
  run: RunRecord,
  signal?: AbortSignal,
): Promise<void> {
  const clear = async (lab: LabDocument, nodeId: string, folder: string): Promise<void> => {
    if (!isRunFolder(folder, run.id)) return;
    const session = await reach.session(lab, nodeId, signal).catch((error: unknown) => {
      // With its pod the folder is gone.
      if (error instanceof RinglabError && error.code === 'pods_ended') return undefined;
      throw error;
    });
    await session?.run(`rm -rf ${shellQuote(folder)}`, { timeoutMs: settings.readTimeout, signal });
  };
  // A job that was never seen, or is out of sight, would go on in folders that are no more.
  const [first] = run.ranks.filter(({ directory }) => isRunFolder(folderOf(directory), run.id));
  if (first !== undefined) await launcher(run.lab).abandon?.(first.directory, signal);
  const folders = new Map(run.ranks.map((rank) => [rank.nodeId, folderOf(rank.directory)]));
  await Promise.all([...folders].map(([nodeId, folder]) => clear(run.lab, nodeId, folder)));
  const left = new Map((run.recovery?.left ?? []).map((one) => [one.node.id, one]));
  await Promise.all(
    [...left.values()].map(async ({ node, directory }) => {
      const folder = folderOf(directory);
      // It may have come back, in the place of another.
      if (folders.get(node.id) === folder) return;
      const others = run.lab.nodes.filter(({ id }) => id !== node.id);
      try {
        await clear({ ...run.lab, nodes: [...others, node] }, node.id, folder);
      } catch (error) {
        if (isCancelled(error) || signal?.aborted === true) throw error;
        const { code, params } = error instanceof RinglabError ? error : new RinglabError('internal');
        const named = new RinglabError(code, params, {
          where: node.name,
          detail: phrase('reasons.run.folderLeft', { folder, run: run.name }),
          cause: error,
        });
        events.emit('app.problem', { error: toWireError(named) });
      }
    }),
  );
}
