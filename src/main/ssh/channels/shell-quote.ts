/** The one function that quotes for a POSIX shell. */

/**
 * One word of a POSIX `sh` script, whatever is in it: spaces, quotes, `$`, newlines, emoji.
 * Throws a TypeError for NUL, which no argument can hold.
 */
export function shellQuote(word: string): string {
  if (word.includes('\0')) throw new TypeError('A shell word cannot hold NUL');
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
