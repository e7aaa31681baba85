/** Words of the services and the command line, beside those of src/shared/i18n. */
import { changes } from './changes.ts';
import { cli, doctor } from './cli.ts';
import { closing, sandbox, values, web } from './desktop.ts';
import { diagnoses, leftOut } from './diagnoses.ts';
import { help } from './help.ts';
import { reasons } from './reasons.ts';
import { report } from './report.ts';
import { nodeCommands, stepLog } from './step-log.ts';
import { summaries } from './summaries.ts';
import { weak } from './weak.ts';

export const en = {
  changes,
  cli,
  closing,
  diagnoses,
  doctor,
  help,
  leftOut,
  nodeCommands,
  reasons,
  report,
  sandbox,
  stepLog,
  summaries,
  values,
  weak,
  web,
} as const;
