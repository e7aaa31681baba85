/** Which code an own script's run used: by content, with its origin. */
import * as z from 'zod';

export const RunCode = z.object({
  /** Of all paths and contents; names its copy on this computer and on the nodes. */
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  files: z.number().int().nonnegative(),
  bytes: z.number().nonnegative(),
  /** Where it is a git work tree, or was cloned. */
  commit: z.string().max(64).optional(),
  /** Files that differ from the commit, untracked ones included. */
  changed: z.number().int().nonnegative().optional(),
});
export type RunCode = z.infer<typeof RunCode>;
