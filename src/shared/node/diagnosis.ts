/** What the doctor says of an output: the failure it recognised, why it happens, and what to do. */
import { z } from 'zod';
import { Phrase } from '../base/phrase.ts';

/** What a button beside a diagnosis does. `retry` tries the step or the run again; the others prepare that. */
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
  /** The line that gave it away, at most 500 characters. */
  line: z.string(),
});
export type Diagnosed = z.infer<typeof Diagnosed>;
