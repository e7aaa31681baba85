/** Divides a line into what patterns match and what lies between. Pure. */
interface Place {
  readonly begin: number;
  readonly end: number;
}

/** In order of the text; overlapping matches are one part. */
export function markedParts(
  text: string,
  matches: readonly Place[],
): { readonly part: string; readonly marked: boolean }[] {
  const parts: { part: string; marked: boolean }[] = [];
  let at = 0;
  const add = (to: number, marked: boolean): void => {
    if (to > at) parts.push({ part: text.slice(at, to), marked });
    at = Math.max(at, to);
  };
  let open: Place | undefined;
  for (const match of matches.toSorted((a, b) => a.begin - b.begin)) {
    if (open !== undefined && match.begin <= open.end) {
      open = { begin: open.begin, end: Math.max(open.end, match.end) };
      continue;
    }
    if (open !== undefined) add(open.end, true);
    add(match.begin, false);
    open = match;
  }
  if (open !== undefined) add(open.end, true);
  add(text.length, false);
  return parts;
}
