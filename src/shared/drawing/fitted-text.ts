/** Text in pictures, which have no layout of their own: its approximate width, cut or wrapped to fit. Pure. */

/** What a reader sees as one character may be several code points, as an emoji with a skin tone is. */
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const lettersOf = (text: string): string[] => Array.from(letters.segment(text), ({ segment }) => segment);

/** In the unit of `size`, the height of the letters: Chinese characters are twice as wide as Latin ones. */
export const widthOf = (text: string, size: number): number =>
  lettersOf(text).reduce((sum, letter) => sum + (letter > '\u2e7f' ? size : size * 0.56), 0);

/** At most as wide as the room: what is cut off is an ellipsis. */
export function fitted(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text;
  const kept = lettersOf(text);
  while (kept.length > 1 && widthOf(`${kept.join('')}…`, size) > room) kept.pop();
  return `${kept.join('')}…`;
}

/** Lines at most as wide as the room, broken between words; a longer word is broken anywhere. */
export function wrapped(text: string, size: number, room: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let now = '';
    // Line breaks are possible after a space, and beside each Chinese character.
    for (const word of paragraph.match(/[\u2e80-\uffff]|[^\s\u2e80-\uffff]+\s*|\s+/gu) ?? []) {
      if (now !== '' && widthOf((now + word).trimEnd(), size) > room) {
        lines.push(now.trimEnd());
        now = '';
      }
      now += word;
      while (widthOf(now.trimEnd(), size) > room) {
        const all = lettersOf(now);
        if (all.length === 1) break;
        let end = all.length - 1;
        while (end > 1 && widthOf(all.slice(0, end).join(''), size) > room) end -= 1;
        lines.push(all.slice(0, end).join(''));
        now = all.slice(end).join('');
      }
    }
    return [...lines, now.trimEnd()];
  });
}
