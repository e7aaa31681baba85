/** The result of the doctor for some output: the recognised failure, its cause, and what to do. */
import * as z from 'zod';
import { Phrase } from '../base/phrase.ts';

/**
 * The action of the button beside a diagnosis. `retry` repeats the step or the run; the others open what is to be
 * changed.
 */
export const DiagnosisAction = z.enum([
  'retry',
  'repair_driver',
  'reboot',
  'halve_batch',
  'ask_password',
  'other_port',
  'lend_internet',
]);
export type DiagnosisAction = z.infer<typeof DiagnosisAction>;

export const Diagnosed = z.object({
  code: z.string(),
  cause: Phrase,
  remedy: Phrase,
  action: DiagnosisAction.optional(),
  /** The line that was recognised, at most 500 characters. */
  line: z.string(),
});
export type Diagnosed = z.infer<typeof Diagnosed>;
