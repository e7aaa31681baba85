/** Words that the window, the command line and the services share, in Chinese. */
import { settingLabels } from '../../settings/index.ts';
import type { en } from '../en/index.ts';
import type { Words } from '../words.ts';
import { errorAt, errors, missingKinds, nothingFits, printedNothing } from './errors.ts';
import { labIssues, labProblems, valueProblems } from './lab-issues.ts';
import {
  codeSize,
  collectives,
  jobs,
  misfits,
  noRestart,
  profile,
  runFacts,
  held,
  runNotices,
  runStates,
} from './runs.ts';

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
  nothingFits,
  printedNothing,
  profile,
  held,
  runNotices,
  noRestart,
  runStates,
  valueProblems,
  settingNames: { ...settingLabels('zh-CN'), ...runFacts },
};
