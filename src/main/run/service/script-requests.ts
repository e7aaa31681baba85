/** The run service's requests about own scripts. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { fetchWritten, writtenFiles } from '../artifacts/script-files.ts';
import type { RunServices } from '../record/services.ts';
import type { Runs } from './contract.ts';

export const scriptRequests = (
  services: RunServices,
  get: (runId: string) => Promise<RunRecord>,
): Pick<Runs, 'written' | 'fetchWritten' | 'takeOutCode'> => ({
  written: async (runId, signal) => writtenFiles(services, await get(runId), signal),
  fetchWritten: async (runId, file, signal) => fetchWritten(services, await get(runId), file, signal),
  async takeOutCode(runId, to) {
    const run = await get(runId);
    if (run.code === undefined || services.code === undefined)
      throw new RinglabError('nothing_to_export', { artifact: 'code' }, { where: run.name });
    await services.code.takeOut(run.code, to);
  },
});
