/** What a user's patterns find in the newest log of a lab's script, for the preview beside their fields. */
import * as z from 'zod';
import { Script } from '../lab/script.ts';

const Patterns = Script.shape.patterns.unwrap();
/** Lines of the log's end that are looked at. */
export const maxTriedLines = 400;
export const TriedPattern = Patterns.element.shape.pattern;

const Place = z.number().int().nonnegative();
export const TriedPatterns = z.object({
  /** Why a pattern is not understood, in the trainer's words; null for one that is. */
  errors: z.array(z.string().max(1000).nullable()),
  /** The newest lines, oldest first. */
  lines: z.array(
    z.object({
      text: z.string(),
      /** At most one for each pattern; `begin` and `end` are places in `text`. */
      matches: z.array(
        z.object({
          pattern: Place,
          begin: Place,
          end: Place,
          /** Absent where the match has no number. */
          value: z.number().optional(),
          step: z.number().optional(),
          epoch: z.number().optional(),
        }),
      ),
    }),
  ),
  /** The run whose log it is; absent where the lab's scripts have written none. */
  run: z.object({ id: z.string(), name: z.string() }).optional(),
});
export type TriedPatterns = z.infer<typeof TriedPatterns>;
