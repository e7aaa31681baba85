/** Hosts of the person's own SSH configuration, as they can become nodes. */
import { z } from 'zod';
import { Authentication, JumpHost } from './lab.ts';

export const ConfigHost = z.object({
  alias: z.string(),
  host: z.string(),
  port: z.number().int(),
  user: z.string(),
  authentication: Authentication,
  jump: JumpHost.optional(),
});
export type ConfigHost = z.infer<typeof ConfigHost>;

export const ConfigWarning = z.object({
  kind: z.enum(['match_exec', 'include_cycle', 'too_deep', 'unreadable', 'refused', 'without_openssh']),
  /** The file that is meant; for `refused` the host's name. */
  file: z.string(),
});
export type ConfigWarning = z.infer<typeof ConfigWarning>;
