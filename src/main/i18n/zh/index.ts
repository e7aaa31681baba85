import type { Words } from '../../../shared/i18n/words.ts';
import type { en } from '../en/index.ts';
import { changes } from './changes.ts';
import { closing, sandbox, values } from './desktop.ts';
import { diagnoses, leftOut } from './diagnoses.ts';
import { reasons } from './reasons.ts';
import { report } from './report.ts';
import { summaries } from './summaries.ts';
import { weak } from './weak.ts';

export const zh: Words<typeof en> = {
  changes,
  closing,
  diagnoses,
  leftOut,
  reasons,
  report,
  sandbox,
  summaries,
  values,
  weak,
};
