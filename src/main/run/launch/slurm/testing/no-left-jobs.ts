/** For tests: no job of a run was left in the cluster. */
import type { LeftJobs } from '../left-jobs.ts';

export const noLeftJobs: LeftJobs = {
  cancelLater: () => Promise.resolve(),
  cancelAll: () => Promise.resolve(),
};
