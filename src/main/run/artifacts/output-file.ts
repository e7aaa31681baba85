/** Fetches a file that a script wrote, from the node of its rank. Its path came from the node. */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import { outputOf, type OutputRef } from '../../../shared/run/run-outputs.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { SshSession } from '../../ssh/index.ts';
import { outside, realPathScript } from './real-path.ts';
import { fetchProgress } from './fetch-progress.ts';
import type { RunServices } from '../record/services.ts';

/** What the collector's paths are relative to: the run's copy of its code (launch/script-command.ts). */
function foldersOf(directory: string): { readonly top: string; readonly work: string } {
  const top = posix.dirname(directory);
  return { top, work: posix.join(top, 'code') };
}

/** Prints the file's real path and its hash. */
const lookScript = ({ top, work }: { top: string; work: string }, path: string): string => `
${realPathScript(work, path, top)}
sha256sum < "$real"`;

/**
 * Downloads the file unless the same content is already here; where the node is unreachable, the earlier copy is used.
 * It is handed over as the script wrote it: a checkpoint of any class is not plain data. Rejects with
 * `output_missing` where it is gone or leads out of the run's folder.
 * @param path of this computer
 */
export async function fetchOutput(
  services: Pick<RunServices, 'reach' | 'events'>,
  run: RunRecord,
  ref: OutputRef,
  path: string,
  signal: AbortSignal | undefined,
  max: number | undefined,
): Promise<number> {
  const here = (await stat(path).catch(() => undefined))?.size;
  const { rank: number, path: wanted } = outputOf(ref);
  const rank = run.ranks.find((one) => one.rank === number);
  const missing = (detail?: Phrase): RinglabError =>
    new RinglabError(
      'output_missing',
      { file: wanted },
      { where: rank?.nodeName ?? run.name, ...(detail === undefined ? {} : { detail }) },
    );
  if (rank === undefined || rank.directory === '') throw missing();
  let session: SshSession;
  try {
    session = await services.reach.session(run.lab, rank.nodeId, signal);
  } catch (error) {
    if (here !== undefined && !isCancelled(error)) return here;
    throw error;
  }
  const result = await session.exec(lookScript(foldersOf(rank.directory), wanted), {
    signal,
    timeoutMs: 600_000,
  });
  if (result.code === outside) throw missing(phrase('reasons.leadsOutside'));
  if (result.code !== 0) {
    if (here !== undefined) return here;
    throw missing();
  }
  const [real = '', sum = ''] = result.stdout.trim().split('\n').slice(-2);
  const hash = sum.split(/\s/)[0] ?? '';
  const known = await readFile(`${path}.sha256`, 'utf8').catch(() => '');
  if (here !== undefined && hash !== '' && known.trim() === hash) return here;
  const fetched = `${path}.fetched`;
  try {
    const { bytes } = await session.download(real, fetched, {
      signal,
      max,
      onProgress: fetchProgress(services, run.id, ref),
    });
    await rename(fetched, path);
    // Written after the file: a copy without its hash is downloaded again.
    await writeFile(`${path}.sha256`, `${hash}\n`);
    return bytes;
  } catch (error) {
    await rm(fetched, { force: true });
    throw error;
  }
}
