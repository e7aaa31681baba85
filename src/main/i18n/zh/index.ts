import type { Words } from '../../../shared/i18n/words.ts';
import type { en } from '../en/index.ts';
import { diagnoses, leftOut } from './diagnoses.ts';
import { report } from './report.ts';

export const zh: Words<typeof en> = {
  diagnoses,
  leftOut,
  report,
};
