/** One cell of a CSV file, as RFC 4180 has it and as spreadsheets read it. */

/** What a spreadsheet takes for a formula at the beginning of a cell. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const infinite = /^[+-]?(?:Infinity|inf)$/i;

/**
 * Words that begin like a formula get an apostrophe before them, which spreadsheets show as text: they may come from a
 * node or from a lab file. Numbers stay numbers.
 */
export function csvCell(text: string): string {
  const said = formula.test(text) && !number.test(text) && !infinite.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
}
