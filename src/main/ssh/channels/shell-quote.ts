/** Quotes words for a POSIX shell. The only place that does. */

/**
 * Quotes any text as one word of a POSIX `sh` script: spaces, quotes, `$`, newlines, emoji. Throws a TypeError for
 * NUL, which no argument can contain.
 */
export function shellQuote(word: string): string {
  if (word.includes('\0')) throw new TypeError('A shell word cannot hold NUL');
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
