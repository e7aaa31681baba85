/** Words of the services and the command line, beside those of src/shared/i18n. */
import { diagnoses, leftOut } from './diagnoses.ts';
import { report } from './report.ts';

export const en = {
  diagnoses,
  leftOut,
  report,
} as const;
