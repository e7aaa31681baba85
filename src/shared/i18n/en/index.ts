/** Words that the window, the command line and the services share. Their own stand in src/renderer/i18n and src/main/i18n. */
import { settingLabels } from '../../settings/index.ts';
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

export const en = {
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
  /** What runs are compared by; the training settings are named in their table. */
  settingNames: { ...settingLabels('en'), ...runFacts },
} as const;
