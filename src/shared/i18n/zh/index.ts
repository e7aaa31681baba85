import { settingLabels } from '../../settings/index.ts';
import type { en } from '../en/index.ts';
import type { Words } from '../words.ts';
import { errorAt, errors, missingKinds } from './errors.ts';
import { labIssues, labProblems } from './lab-issues.ts';
import { codeSize, collectives, jobs, misfits, noRestart, runFacts, runNotices, runStates } from './runs.ts';

export const zh: Words<typeof en> = {
  codeSize,
  collectives,
  errorAt,
  errors,
  jobs,
  misfits,
  labIssues,
  labProblems,
  missingKinds,
  runNotices,
  noRestart,
  runStates,
  settingNames: { ...settingLabels('zh-CN'), ...runFacts },
};
