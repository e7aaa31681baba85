/** Whether the nodes of lost ranks can write: one that is back may answer, and its disk take nothing since it lost its power. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import { lastWords, shellQuote } from '../../ssh/index.ts';
import type { RunServices } from '../record/services.ts';

/** A node that was set up anew has no folder yet. */
const writeScript = (
  folder: string,
): string => `mkdir -p ${shellQuote(folder)} && cd ${shellQuote(folder)} || exit 1
printf 'x\\n' >writable.tmp && { sync writable.tmp 2>/dev/null || sync; } && rm -f writable.tmp
`;

/** Rejects with `command_failed` where a rank's folder takes no file, and with the error of a node that does not answer. */
export async function tryFolders(
  reach: RunServices['reach'],
  lab: LabDocument,
  ranks: readonly Pick<RankRecord, 'nodeId' | 'nodeName' | 'directory'>[],
  signal: AbortSignal,
): Promise<void> {
  const write = async ({ nodeId, nodeName, directory }: (typeof ranks)[number]): Promise<void> => {
    const session = await reach.session(lab, nodeId, signal);
    const result = await session.exec(writeScript(directory), { signal });
    if (result.code === 0) return;
    const command = phrase('nodeCommands.writeIn', { folder: directory });
    throw new RinglabError(
      'command_failed',
      { code: result.code ?? -1, command },
      { where: nodeName, detail: lastWords(result) },
    );
  };
  await Promise.all(ranks.map(write));
}
