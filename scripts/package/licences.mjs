/** Collects the licences of the bundled packages: most require that their text accompanies every copy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../setup/project.mjs';
import { SetupFailure } from '../setup/failure.mjs';

/** The path that the package includes, as `THIRD-PARTY-LICENCES.txt` beside the archive. */
export const licencesPath = inProject('dist', 'THIRD-PARTY-LICENCES.txt');

const isLicence = (name) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(name);
const rule = '─'.repeat(80);

/** Packages of the program, by their folders below the project. */
function bundledPackages() {
  const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
    .map(([path]) => path)
    .sort();
}

/** @returns {string} throws if a package names no licence */
export function licenceTexts() {
  const parts = bundledPackages().map((path) => {
    const folder = inProject(path);
    const { name, version, license, homepage } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const texts = readdirSync(folder)
      .filter(isLicence)
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (typeof license !== 'string' && texts.length === 0)
      throw new SetupFailure(`${name} names no licence`, 'look at it before it goes into a package', path);
    const head = [`${name} ${version}`, license, homepage]
      .filter((word) => typeof word === 'string')
      .join(' · ');
    return [rule, head, '', ...texts].join('\n');
  });
  return `Ringlab is bundled with the packages below, unmodified. Its own licence is in LICENSE.\n\n${parts.join('\n\n')}\n`;
}
