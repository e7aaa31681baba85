/** Text within HTML, SVG and XML: in elements and in attributes. */
const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeMarkup = (text: string): string =>
  text.replace(/[<>&"']/g, (letter) => entities[letter] ?? letter);
