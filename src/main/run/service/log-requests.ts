/** The run service's requests about the ranks' logs. */
import type { RunRecord } from '../../../shared/run/run.ts';
import { searchLogs } from '../artifacts/log-search.ts';
import { readLog } from '../artifacts/rank-log.ts';
import type { RunServices } from '../record/services.ts';
import type { Runs } from './contract.ts';

export const logRequests = (
  services: RunServices,
  get: (runId: string) => Promise<RunRecord>,
): Pick<Runs, 'log' | 'searchLogs'> => ({
  log: async (query) => readLog(services, await get(query.runId), query),
  searchLogs: async (runId, wanted, signal) => searchLogs(services, await get(runId), wanted, signal),
});
