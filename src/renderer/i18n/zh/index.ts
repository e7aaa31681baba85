import { canvas } from './canvas.ts';
import { inspector } from './inspector.ts';
import { lab } from './lab.ts';
import { prompts } from './prompts.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';

export const zh = { canvas, inspector, lab, prompts, runs, shell } as const;
