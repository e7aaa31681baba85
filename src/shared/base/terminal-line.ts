/** What is left of a line once a terminal has shown it. */
import { withUnseen } from './plain-text.ts';

/** Colours, cursor moves, and strings such as titles, which contain none that begins another: a line of such beginnings is read once. */
const escapes =
  /(?:\u001b\[|\u009b)[0-9;?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;

/** The last state of a line that a progress bar has drawn over with carriage returns, without colours; other control characters are escaped. */
export function asTerminalShows(line: string): string {
  const clean = line.replace(escapes, '');
  let end = clean.length;
  // `/[\r\b]+$/` would begin again at each of them.
  while (end > 0 && '\r\b'.includes(clean.charAt(end - 1))) end -= 1;
  const start = clean.lastIndexOf('\r', end - 1) + 1;
  return withUnseen(clean.slice(start, end).replace(/^[\b]+/, ''));
}
