/** What is left of a line once a terminal has shown it. */
import { withUnseen } from './plain-text.ts';

/** Colours and cursor moves. */
const escapes =
  /(?:\u001b\[|\u009b)[0-9;?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g;

/** The last state of a line that a progress bar has drawn over with carriage returns, without colours; other control characters are escaped. */
export function asTerminalShows(line: string): string {
  const clean = line.replace(escapes, '').replace(/[\r\b]+$/, '');
  const at = clean.lastIndexOf('\r');
  return withUnseen((at < 0 ? clean : clean.slice(at + 1)).replace(/^[\b]+/, ''));
}
