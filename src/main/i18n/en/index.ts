/** Words of the services and the command line, beside those of src/shared/i18n. */
import { report } from './report.ts';

export const en = {
  report,
} as const;
