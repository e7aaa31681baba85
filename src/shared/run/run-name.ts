/** The parts of a run's name: what it is a run of, and what distinguishes it there. Pure. */

/** 'Three nodes · lr 0.05' */
export const runNameSeparator = ' · ';

/** The distinguishing part is empty in a name that has one part, as that of a lab's first run. */
export function runNameParts(name: string): { readonly of: string; readonly own: string } {
  const at = name.indexOf(runNameSeparator);
  return at < 0 ? { of: name, own: '' } : { of: name.slice(0, at), own: name.slice(at) };
}

/** As long as what a user may call a run. */
const longestName = 120;
/** What a name keeps of what it is a run of, however much distinguishes it. */
const shortestOf = 20;

const cutTo = (text: string, length: number): string =>
  text.length <= length
    ? text
    : // No half of a character that takes two units.
      `${text.slice(0, Math.max(0, length - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** A name of these parts. A long one is cut where it says what it is a run of: the end distinguishes it. @param number undefined for the first of that name */
export function runName(of: string, own: string, number?: number): string {
  const end = number === undefined ? '' : `${runNameSeparator}${number}`;
  const whole = own === '' ? '' : `${runNameSeparator}${own}`;
  const tail = `${cutTo(whole, longestName - shortestOf - end.length)}${end}`;
  return `${cutTo(of, longestName - tail.length)}${tail}`;
}
