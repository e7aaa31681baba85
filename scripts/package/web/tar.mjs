/**
 * Archives that depend on their contents alone: entries are sorted, owners, modes and times are fixed, so that two builds of
 * the same sources differ in no byte. ustar (POSIX.1-1988), which tar, dpkg and npm all read.
 */
import { readFileSync } from 'node:fs';

const block = 512;
const padding = (size) => (block - (size % block)) % block;

/**
 * @typedef {object} Entry
 * @property {string} path relative, with `/`; folders are added by themselves
 * @property {Uint8Array | { file: string } | { link: string }} content bytes, a file of this computer, or a symbolic link's target
 * @property {boolean} [executable]
 */

/** @param {Entry} entry @returns {Buffer} of a file */
export const bytesOf = ({ content }) =>
  content instanceof Uint8Array ? Buffer.from(content) : readFileSync(content.file);

/**
 * @param {readonly Entry[]} entries
 * @param {{ seconds: number, prefix?: string, folders?: boolean }} options the time of every entry in seconds since 1970; what
 *   stands before every path; npm reads no entries of folders
 * @returns {Buffer}
 */
export function tarOf(entries, { seconds, prefix = '', folders = true }) {
  const pieces = [];
  const all = new Map();
  for (const entry of entries) {
    const path = prefix + entry.path;
    if (all.has(path)) throw new Error(`two entries are named ${path}`);
    all.set(path, entry);
    if (!folders) continue;
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (at > 0) all.set(path.slice(0, at + 1), undefined);
  }
  // Byte order of the names: a folder's comes before all that is in it.
  const paths = [...all.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const path of paths) {
    const entry = all.get(path);
    if (entry === undefined) pieces.push(header(path, 0o755, 0, '5', '', seconds));
    else if ('link' in entry.content) pieces.push(header(path, 0o777, 0, '2', entry.content.link, seconds));
    else {
      const bytes = bytesOf(entry);
      const mode = entry.executable === true ? 0o755 : 0o644;
      pieces.push(
        header(path, mode, bytes.length, '0', '', seconds),
        bytes,
        Buffer.alloc(padding(bytes.length)),
      );
    }
  }
  return Buffer.concat([...pieces, Buffer.alloc(2 * block)]);
}

function header(path, mode, size, type, link, seconds) {
  const { name, prefix } = splitPath(path);
  const bytes = Buffer.alloc(block);
  const octal = (value, at, width) =>
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  if (Buffer.byteLength(link) > 100) throw new Error(`the link ${path} leads too far`);
  bytes.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(type, 156, 'latin1');
  bytes.write(link, 157, 'utf8');
  bytes.write('ustar\u000000', 257, 'latin1');
  bytes.write('root', 265, 'latin1');
  bytes.write('root', 297, 'latin1');
  bytes.write(prefix, 345, 'utf8');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** ustar keeps 100 bytes of name and 155 of prefix, split at a slash. */
function splitPath(path) {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { name, prefix };
  }
  throw new Error(`the path ${path} is too long for an archive`);
}

/**
 * An `ar` archive, as a Debian package is one.
 * @param {readonly { name: string, bytes: Uint8Array }[]} members in this order @param {number} seconds
 */
export function arOf(members, seconds) {
  const pieces = [Buffer.from('!<arch>\n')];
  for (const { name, bytes } of members) {
    const fields = [
      name.padEnd(16),
      String(seconds).padEnd(12),
      '0     ',
      '0     ',
      '100644  ',
      String(bytes.length).padEnd(10),
    ];
    pieces.push(
      Buffer.from(`${fields.join('')}\`\n`),
      Buffer.from(bytes),
      Buffer.alloc(bytes.length % 2, '\n'),
    );
  }
  return Buffer.concat(pieces);
}
