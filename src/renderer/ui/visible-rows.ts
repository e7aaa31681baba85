/** Rows [from, to) of `count` rows that a view of `height` scrolled to `top` needs, with some overscan. */
export function visibleRows(
  count: number,
  rowHeight: number,
  top: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const spare = 20;
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  return { from: Math.min(from, to), to };
}
