/** The parts of a run's name: what it is a run of, and what distinguishes it there. Pure. */

/** 'Three nodes · lr 0.05' */
export const runNameSeparator = ' · ';

/** The distinguishing part is empty in a name that has one part, as that of a lab's first run. */
export function runNameParts(name: string): { readonly of: string; readonly own: string } {
  const at = name.indexOf(runNameSeparator);
  return at < 0 ? { of: name, own: '' } : { of: name.slice(0, at), own: name.slice(at) };
}
