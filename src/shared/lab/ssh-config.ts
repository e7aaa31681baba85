/** Hosts of the user's SSH configuration that can become nodes. */
import * as z from 'zod';
import { Authentication, JumpChain } from './access.ts';
import { commandWord, oneLine } from '../base/plain-text.ts';

export const ConfigHost = z.object({
  alias: oneLine(255),
  host: commandWord(255),
  port: z.number().int().min(1).max(65_535),
  user: commandWord(120),
  authentication: Authentication,
  jump: JumpChain,
});
export type ConfigHost = z.infer<typeof ConfigHost>;

export const ConfigWarning = z.object({
  kind: z.enum([
    'match_exec',
    'proxy_command',
    'several_keys',
    'certificate_file',
    'host_key_alias',
    'include_cycle',
    'too_deep',
    'unreadable',
    'unreadable_line',
    'refused',
    'without_openssh',
  ]),
  /** The file concerned, for `several_keys` the key that is used; for `refused` and `proxy_command` the host's name. */
  file: z.string(),
});
export type ConfigWarning = z.infer<typeof ConfigWarning>;
