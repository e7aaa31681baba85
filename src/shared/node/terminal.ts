/** Terminals on nodes: their sizes, and what is known of each. */
import { z } from 'zod';
import { WireError } from '../base/errors.ts';

export const TerminalSize = z.object({
  columns: z.number().int().min(2).max(1000),
  rows: z.number().int().min(1).max(1000),
});
export type TerminalSize = z.infer<typeof TerminalSize>;

export const TerminalState = z.object({
  terminalId: z.string(),
  labId: z.string(),
  nodeId: z.string(),
  /** Unix seconds. */
  since: z.number(),
  /** Characters that came in all; the newest of them are kept. */
  end: z.number().int().nonnegative(),
  /** Set once the shell has ended or the connection went. */
  ended: z
    .object({
      /** The shell's exit status, where it ended by itself. */
      code: z.number().int().optional(),
      /** Why the connection went. */
      error: WireError.optional(),
    })
    .optional(),
});
export type TerminalState = z.infer<typeof TerminalState>;

/** Characters of output that are kept of each terminal. */
export const terminalKept = 512 * 1024;
