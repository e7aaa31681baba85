/** Formats one cell of a CSV file (RFC 4180), safe for spreadsheets. */

/** Where a spreadsheet may see the beginning of a formula: after a semicolon or a tab, too, where that separates its cells. */
const formula = /(^|[;\t][ \t]*)(?=[=+\-@\t\r\n＝＋－＠])/g;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const infinite = /^[+-]?(?:Infinity|inf)$/i;

/**
 * Text that begins like a formula gets an apostrophe, so that spreadsheets show it as text: it may come from a node
 * or a lab file. Numbers stay numbers. A semicolon separates cells where the decimal sign is a comma.
 */
export function csvCell(text: string): string {
  const said = number.test(text) || infinite.test(text) ? text : text.replaceAll(formula, "$1'");
  return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
}
