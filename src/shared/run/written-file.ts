/** A file that an own script wrote in its run's copy of the code. */
import * as z from 'zod';
import { WireError } from '../base/errors.ts';
import { OutputPath } from './run-outputs.ts';

export const WrittenFile = z.object({
  /** The first rank of the node that has it. */
  rank: z.number().int().nonnegative(),
  /** Relative to the copy's root. */
  path: OutputPath,
  bytes: z.number().nonnegative(),
  /** Unix seconds of its last change, on the node's clock. */
  modified: z.number(),
});
export type WrittenFile = z.infer<typeof WrittenFile>;

export const WrittenList = z.object({
  files: z.array(WrittenFile),
  /** False where there are more than a list takes. */
  isWhole: z.boolean(),
  /** Why nodes did not say what they have: `where` is a node's name. */
  unreached: z.array(WireError),
});
export type WrittenList = z.infer<typeof WrittenList>;
