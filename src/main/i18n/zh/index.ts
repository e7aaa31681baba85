/** Words of the services and the command line, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { en } from '../en/index.ts';
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

export const zh: Words<typeof en> = {
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
};
