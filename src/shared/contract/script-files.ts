/** The files of a lab's own script, as the window lists, reads and saves them. */
import * as z from 'zod';

/** A larger file is neither read nor saved. */
export const maxScriptBytes = 1_000_000;

export const ScriptFile = z.object({
  /** Relative to the script's folder, with `/`. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
});
export type ScriptFile = z.infer<typeof ScriptFile>;

export const ScriptText = z.object({
  text: z.string(),
  /** Of the file's bytes, lower-case hex. */
  sha256: z.string(),
});
export type ScriptText = z.infer<typeof ScriptText>;
