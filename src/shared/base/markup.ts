/** Text within HTML, SVG and XML: in elements and in attributes. */
const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};
/** What no XML file may hold, not even as a number: such as U+FFFF, and halves of a pair of surrogates. */
const refused = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
export const escapeMarkup = (text: string): string =>
  text.replace(refused, '\u{FFFD}').replace(/[<>&"']/g, (letter) => entities[letter] ?? letter);
