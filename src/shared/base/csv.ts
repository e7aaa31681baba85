/** Formats one cell of a CSV file (RFC 4180), safe for spreadsheets. */

/** The beginning of a cell that a spreadsheet evaluates as a formula. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const infinite = /^[+-]?(?:Infinity|inf)$/i;

/**
 * Text that begins like a formula gets an apostrophe, so that spreadsheets show it as text: it may come from a node
 * or a lab file. Numbers stay numbers.
 */
export function csvCell(text: string): string {
  const said = formula.test(text) && !number.test(text) && !infinite.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
}
