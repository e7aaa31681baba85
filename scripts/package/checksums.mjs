/** Writes SHA256SUMS of the installers, in the format of `sha256sum --check`. */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The files that users download: installers, and the bill of materials beside them. */
const offered = /\.(?:AppImage|deb|exe|dmg|tgz|tar\.xz|cdx\.json)$/;

/** @param {string} folder @returns {Promise<string>} the text of the file written beside them */
export async function writeChecksums(folder) {
  const names = readdirSync(folder)
    .filter((name) => offered.test(name))
    .sort();
  let text = '';
  for (const name of names) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    text += `${hash.digest('hex')}  ${name}\n`;
  }
  writeFileSync(join(folder, 'SHA256SUMS'), text);
  return text;
}
