/** Terminals on nodes: their size limits and state. */
import * as z from 'zod';
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
  /** Total of characters received; the newest of them are kept. */
  end: z.number().int().nonnegative(),
  /** Set once the shell has ended or the connection was lost; empty where a window closed it. */
  ended: z
    .object({
      /** The shell's exit status, where it exited. */
      code: z.number().int().optional(),
      /** Why the connection was lost. */
      error: WireError.optional(),
    })
    .optional(),
});
export type TerminalState = z.infer<typeof TerminalState>;

/** Maximum number of characters kept for each terminal. */
export const terminalKept = 512 * 1024;
