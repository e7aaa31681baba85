/**
 * Which patterns can match a line at all: each is tried only where four characters that it needs occur. With hundreds of patterns a
 * log of megabytes is read in a second instead of half a minute.
 */

/** Length of what is looked up. */
const size = 4;

/** Characters that stand for themselves behind a backslash; the others are classes and assertions. */
const isLiteralEscape = (character: string): boolean => !/[A-Za-z0-9]/.test(character);

/**
 * Texts of which every match contains at least one: of each alternative the longest run of plain characters outside groups and
 * classes; empty where there is none. Runs may be cut shorter than they could be, never longer.
 */
export function neededTexts(pattern: RegExp): readonly string[] {
  const { source } = pattern;
  const texts: string[] = [];
  let best = '';
  let run = '';
  let depth = 0;
  const end = () => {
    if (run.length > best.length) best = run;
    run = '';
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '\\') {
      at++;
      const escaped = source[at] ?? '';
      if (depth > 0) continue;
      if (isLiteralEscape(escaped)) run += escaped;
      else end();
    } else if (character === '[') {
      for (at++; at < source.length && source[at] !== ']'; at++) if (source[at] === '\\') at++;
      if (depth === 0) end();
    } else if (character === '(') {
      depth++;
      end();
    } else if (character === ')') {
      depth--;
    } else if (depth > 0) {
      continue;
    } else if (character === '|') {
      end();
      texts.push(best);
      best = '';
    } else if (character === '?' || character === '*' || character === '{') {
      // The character before it may be missing.
      run = run.slice(0, -1);
      end();
      if (character === '{') while (at < source.length && source[at] !== '}') at++;
    } else if ('+.^$'.includes(character)) {
      end();
    } else {
      run += character;
    }
  }
  end();
  return [...texts, best];
}

export interface Candidates<Item> {
  /** In the order of the items: all that can match the line, and perhaps some that cannot. */
  of(line: string): readonly Item[];
}

export function candidatesOf<Item extends { readonly pattern: RegExp }>(
  items: readonly Item[],
): Candidates<Item> {
  const always: number[] = [];
  const byPart = new Map<string, number[]>();
  items.forEach((item, index) => {
    const needed = neededTexts(item.pattern).map((text) => text.toLowerCase());
    if (needed.some((text) => text.length < size)) {
      always.push(index);
      return;
    }
    const users = (part: string) => byPart.get(part)?.length ?? 0;
    for (const text of needed) {
      const parts = Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size));
      // The part that fewest others share.
      const part = parts.reduce((least, one) => (users(one) < users(least) ? one : least));
      byPart.set(part, [...(byPart.get(part) ?? []), index]);
    }
  });
  return {
    of(line) {
      const lower = line.toLowerCase();
      const indexes = new Set(always);
      for (let at = 0; at + size <= lower.length; at++) {
        const users = byPart.get(lower.slice(at, at + size));
        if (users !== undefined) for (const index of users) indexes.add(index);
      }
      return [...indexes].sort((a, b) => a - b).flatMap((index) => items[index] ?? []);
    },
  };
}
