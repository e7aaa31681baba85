/** Makes the packages of the web host in release/, as far as this computer can: npm's everywhere, those with Node on Linux. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from '../../setup/failure.mjs';
import { inProject } from '../../setup/project.mjs';
import { makeSbom } from '../sbom.mjs';
import { sourceDate } from '../source-date.mjs';
import { readDocuments } from './documents.mjs';
import { debianPackage, npmPackage, portablePackage } from './packages.mjs';
import { json, nodeFor, programFiles } from './program.mjs';

/** More than npm's package may have without Node, compressed: someone downloads it over a slow link. */
const maxNpmBytes = 30_000_000;

/**
 * @param {import('../../setup/progress.mjs').Progress} progress
 * @param {Record<string, any>} config electron-builder's
 * @param {{ quick: boolean }} options `quick`: compressed in a fifth of the time, and larger, for tests
 * @returns {Promise<string[]>} names of the files in release/
 */
export async function makeWebPackages(progress, config, { quick }) {
  const release = inProject('release');
  mkdirSync(release, { recursive: true });
  const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const seconds = await sourceDate();
  const parts = {
    version,
    seconds,
    program: programFiles(config),
    sbom: Buffer.from(json(await makeSbom({ host: { name: 'none' }, seconds }))),
    documents: readDocuments(),
    npmLauncher: readFileSync(inProject('scripts', 'package', 'web', 'npm-launcher.mjs'), 'utf8'),
  };
  const made = [];
  const keep = async (name, make) =>
    progress.step(name, async (step) => {
      const result = await make(step);
      writeFileSync(join(release, result.name), result.bytes);
      step.say(`${result.name}: ${(result.bytes.length / 1e6).toFixed(1)} MB`);
      made.push(result.name);
      return result;
    });
  const npm = await keep('package for npm', () => npmPackage(parts));
  if (npm.bytes.length > maxNpmBytes)
    throw new SetupFailure(
      `${npm.name} has ${npm.bytes.length} bytes, more than ${maxNpmBytes}`,
      'look at what electron-builder.yml and scripts/package/web/program.mjs include',
    );
  const { arch } = process;
  const node =
    process.platform === 'linux' && (arch === 'x64' || arch === 'arm64') ? nodeFor(arch) : undefined;
  if (node === undefined) {
    progress.say(
      'The packages with their own Node (.deb, .tar.xz) are made on Linux, where npm brought its Node.',
    );
    return made;
  }
  const sbom = Buffer.from(json(await makeSbom({ host: { name: 'node', version: node.version }, seconds })));
  const whole = {
    ...parts,
    sbom,
    arch,
    node: node.files,
    xz: (bytes) => compress(bytes, quick ? '-1' : '-6'),
  };
  await keep('archive with Node', () => portablePackage(whole));
  await keep('Debian package with Node', () => debianPackage(whole));
  return made;
}

/** One thread: with several, the result depends on their number. @param {Buffer} bytes @param {string} level @returns {Promise<Buffer>} */
function compress(bytes, level) {
  return new Promise((resolve, reject) => {
    const child = spawn('xz', ['--format=xz', '--check=crc64', level, '--threads=1', '--stdout'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const pieces = [];
    child.stdout.on('data', (piece) => pieces.push(piece));
    child.once('error', (error) =>
      reject(
        new SetupFailure('xz cannot be started', 'install it (xz-utils), then start again', error.message),
      ),
    );
    child.once('close', (code) =>
      code === 0
        ? resolve(Buffer.concat(pieces))
        : reject(new SetupFailure(`xz ended with ${code}`, 'is the memory full? Then start again')),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(bytes);
  });
}
