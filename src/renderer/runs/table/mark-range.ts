/** Which rows are marked after a click on a row's box; with Shift all from the last one that was clicked, as in lists of files. Pure. */

/**
 * @param ordered the listed rows, as they stand
 * @param from the row clicked before; undefined without Shift
 */
export function markedAfter(
  marked: readonly string[],
  ordered: readonly string[],
  clicked: string,
  from: string | undefined,
): string[] {
  const [end, start] = [ordered.indexOf(clicked), from === undefined ? -1 : ordered.indexOf(from)];
  const rows =
    end < 0 || start < 0 ? [clicked] : ordered.slice(Math.min(start, end), Math.max(start, end) + 1);
  // All get what the clicked one gets.
  if (marked.includes(clicked)) return marked.filter((id) => !rows.includes(id));
  return [...marked, ...rows.filter((id) => !marked.includes(id))];
}

/** After a click on the box of all listed rows. Marks of rows that a search hides stay as they are. */
export const allMarkedAfter = (marked: readonly string[], listed: readonly string[]): string[] =>
  listed.every((id) => marked.includes(id))
    ? marked.filter((id) => !listed.includes(id))
    : [...new Set([...marked, ...listed])];
