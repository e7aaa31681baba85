/** The kept code of an own script's run, as the window lists and shows it. */
import * as z from 'zod';

/** A longer text is not shown, and a file that is larger is not compared line by line. */
export const maxShownBytes = 1_000_000;
/** Characters of a difference that is sent; the rest is left out, and said. */
export const maxDiffText = 2_000_000;

export const CodeFile = z.object({
  /** Relative to the code's root, with `/`. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
});
export type CodeFile = z.infer<typeof CodeFile>;

/** Of one run against another, or against the commit. */
export const CodeDiff = z.object({
  /** As `git diff` prints it; empty without differences. */
  text: z.string(),
  truncated: z.boolean(),
});
export type CodeDiff = z.infer<typeof CodeDiff>;

/** A line of a difference by what it means. */
export type DiffLineKind = 'added' | 'removed' | 'place' | 'file' | 'same';

/** The kinds of the lines of a text as `git diff` prints it; a removed line may itself begin with dashes. */
export function diffLineKinds(text: string): DiffLineKind[] {
  /** Lines of the hunk that are still to come, by side. */
  let [old, now] = [0, 0];
  return text.split('\n').map((line) => {
    if (old > 0 || now > 0) {
      if (line.startsWith('+')) now -= 1;
      else if (line.startsWith('-')) old -= 1;
      else if (!line.startsWith('\\')) [old, now] = [old - 1, now - 1];
      return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk === null)
      return /^(diff |---|\+\+\+|Binary |new file|deleted file)/.test(line) ? 'file' : 'same';
    [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    return 'place';
  });
}
