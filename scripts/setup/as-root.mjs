/** The line that a user types to run commands as root: with sudo, with su where there is no sudo, as they are where the user is root. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @typedef {'root' | 'sudo' | 'su'} Way */

/** A Debian that was installed with a password for root has no sudo. @returns {Way} */
function wayHere() {
  if (process.getuid?.() === 0) return 'root';
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'sudo'))) ? 'sudo' : 'su';
}

/**
 * @param {readonly string[]} commands
 * @param {{ way?: Way, between?: '; ' | ' && ' }} [options]
 */
export function asRootLine(commands, { way = wayHere(), between = '; ' } = {}) {
  if (way === 'sudo') return commands.map((command) => `sudo ${command}`).join(between);
  const line = commands.join(between);
  // `-`: otherwise Debian's su keeps the user's PATH, which lacks dpkg's programs in /usr/sbin.
  return way === 'root' ? line : `su - -c ${shellQuoted(line)}`;
}

/** @param {string} text @returns {string} as one word of a shell's line */
export const shellQuoted = (text) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
