/** The run service's requests about own scripts. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { fetchPicture } from '../artifacts/media.ts';
import { fetchWritten, writtenFiles } from '../artifacts/script-files.ts';
import { limitedDiff, type CodeShelf } from '../../code/index.ts';
import type { RunCode } from '../../../shared/run/run-code.ts';
import { diffFile } from '../launch/script-launch.ts';
import type { RunServices } from '../record/services.ts';
import type { Runs } from './contract.ts';

export const scriptRequests = (
  services: RunServices,
  get: (runId: string) => Promise<RunRecord>,
): Pick<
  Runs,
  'written' | 'fetchWritten' | 'picture' | 'takeOutCode' | 'codeFiles' | 'codeText' | 'codeDiff' | 'pruneCode'
> => ({
  written: async (runId, signal) => writtenFiles(services, await get(runId), signal),
  fetchWritten: async (runId, file, signal) => fetchWritten(services, await get(runId), file, signal),
  picture: async (runId, picture, signal) => fetchPicture(services, await get(runId), picture, signal),
  async takeOutCode(runId, to) {
    const { shelf, code } = codeOf(services, await get(runId));
    await shelf.takeOut(code, to);
  },
  async codeFiles(runId) {
    const { shelf, code } = codeOf(services, await get(runId));
    const { manifest } = await shelf.kept(code);
    const diff = await stat(join(services.store.runFolder(runId), diffFile)).catch(() => undefined);
    return {
      files: manifest.files.map(({ path, size }) => ({ path, bytes: size })),
      code,
      hasDiff: diff?.isFile() === true,
    };
  },
  async codeText(runId, file) {
    const { shelf, code } = codeOf(services, await get(runId));
    return shelf.text(code, file);
  },
  async codeDiff(runId, before) {
    const { shelf, code } = codeOf(services, await get(runId));
    if (before !== undefined) return shelf.compare(codeOf(services, await get(before)).code, code);
    const kept = await readFile(join(services.store.runFolder(runId), diffFile), 'utf8').catch(() => '');
    return limitedDiff(kept);
  },
  async pruneCode() {
    // A run that cannot be opened may name any of it.
    if ((await services.store.problems()).length > 0) return 0;
    const named = (await services.store.listRuns()).flatMap(({ code }) => code?.hash ?? []);
    return (await services.code?.prune(new Set(named))) ?? 0;
  },
});

function codeOf(
  services: RunServices,
  run: RunRecord,
): { readonly shelf: Pick<CodeShelf, 'kept' | 'takeOut' | 'text' | 'compare'>; readonly code: RunCode } {
  if (run.code === undefined || services.code === undefined)
    throw new RinglabError('nothing_to_export', { artifact: 'code' }, { where: run.name });
  return { shelf: services.code, code: run.code };
}
