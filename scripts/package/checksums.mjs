/** Writes SHA256SUMS of the packages, in the format of `sha256sum --check`, and signs it if a key is named. */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { lastLines, runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';

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

/**
 * Signs SHA256SUMS with GnuPG, as SHA256SUMS.asc: the user's agent asks for the passphrase.
 * @param {string} folder @param {string | undefined} key its fingerprint or address (RINGLAB_SIGNING_KEY); undefined: unsigned
 * @returns {Promise<boolean>} whether it was signed
 */
export async function signChecksums(folder, key) {
  if (key === undefined || key === '') return false;
  const sums = join(folder, 'SHA256SUMS');
  const words = [
    '--batch',
    '--yes',
    '--local-user',
    key,
    '--armor',
    '--output',
    `${sums}.asc`,
    '--detach-sign',
    sums,
  ];
  const { code, output } = await runCommand('gpg', words);
  if (code !== 0)
    throw new SetupFailure(
      'gpg could not sign SHA256SUMS',
      'name a secret key of yours in RINGLAB_SIGNING_KEY (gpg --list-secret-keys), or unset it',
      lastLines(output, 10),
    );
  return true;
}
