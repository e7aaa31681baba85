/**
 * Splits the arguments of an own script as a POSIX shell splits words: single and double quotes, backslashes, line
 * continuations. Nothing is expanded (`$HOME`, `*` and `~` stay as they are) and nothing is special (`;`, `|`, `>`):
 * no shell runs it. Pure.
 */

/** More than any system takes. */
const maxWords = 10_000;

export type SplitArguments =
  | { readonly ok: true; readonly words: readonly string[] }
  /** `quote`: a quote that is not closed, at this offset. */
  | { readonly ok: false; readonly quote: '"' | "'"; readonly at: number };

const blank = /\s/;
/** What a backslash escapes between double quotes (POSIX 2.2.3). */
const escapedInDouble = new Set(['$', '`', '"', '\\']);

export function splitArguments(text: string): SplitArguments {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (): string => text[at++] ?? '';
  while (at < text.length) {
    const start = at;
    const character = take();
    if (character === "'") {
      const end = text.indexOf("'", at);
      if (end < 0) return { ok: false, quote: "'", at: start };
      word = (word ?? '') + text.slice(at, end);
      at = end + 1;
    } else if (character === '"') {
      word ??= '';
      for (;;) {
        if (at >= text.length) return { ok: false, quote: '"', at: start };
        const inside = take();
        if (inside === '"') break;
        if (inside !== '\\') word += inside;
        else if (text[at] === '\n') at += 1;
        else if (text.startsWith('\r\n', at)) at += 2;
        else word += escapedInDouble.has(text[at] ?? '') ? take() : '\\';
      }
    } else if (character === '\\') {
      if (text[at] === '\n') at += 1;
      else if (text.startsWith('\r\n', at)) at += 2;
      else word = (word ?? '') + (at < text.length ? take() : '\\');
    } else if (blank.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  return { ok: true, words: words.slice(0, maxWords) };
}

/** The text that `splitArguments` splits into exactly these words. */
export const joinArguments = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');

/**
 * The arguments of several runs, one below the other: a line goes on in the next one where it ends within a quote or with a backslash
 * that escapes the line break.
 */
export function splitRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const whole: string = open === undefined ? line : `${open}\n${line}`;
    open = isContinued(whole) ? whole : undefined;
    if (open === undefined) runs.push(whole.trim());
  }
  if (open === undefined) return runs;
  // A quote that nothing closes is one line's fault, not that of all lines below it.
  return [...runs, ...(splitArguments(open).ok ? [open] : open.split('\n')).map((line) => line.trim())];
}

/** A quote is literal only behind a backslash that escapes what follows. */
const isContinued = (text: string): boolean => !splitArguments(text).ok || splitArguments(`${text}"`).ok;

/** The same words on one line, as far as none of them has a line break. */
export function onOneLine(text: string): string {
  const split = splitArguments(text);
  return text.includes('\n') && split.ok ? joinArguments(split.words) : text;
}
