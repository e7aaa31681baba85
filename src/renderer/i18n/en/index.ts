/** All texts of the window, in English. Their keys are those of every language. */
import { canvas } from './canvas.ts';
import { charts } from './charts.ts';
import { checkpoints } from './checkpoints.ts';
import { commands } from './commands.ts';
import { code } from './code.ts';
import { compare } from './compare.ts';
import { inspector } from './inspector.ts';
import { lab } from './lab.ts';
import { logSearch } from './log-search.ts';
import { media } from './media.ts';
import { outputs } from './outputs.ts';
import { parallel } from './parallel.ts';
import { prompts } from './prompts.ts';
import { runTable } from './run-table.ts';
import { runs } from './runs.ts';
import { script } from './script.ts';
import { scalars } from './scalars.ts';
import { shell } from './shell.ts';
import { terminal } from './terminal.ts';
import { watch } from './watch.ts';
import { why } from './why.ts';

export const en = {
  canvas,
  charts,
  checkpoints,
  commands,
  code,
  compare,
  inspector,
  lab,
  logSearch,
  media,
  outputs,
  parallel,
  prompts,
  runTable,
  runs,
  script,
  scalars,
  shell,
  terminal,
  watch,
  why,
} as const;
