/**
 * `npm run package`: makes the packages for this system. First it checks the configuration against electron-builder's schema
 * and lists the files that would be included. The packages of the web host (npm, .deb, .tar.xz) need no Electron; its
 * installers are made where its binary is there. `--check` makes nothing, `--quick` compresses less.
 */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lastLines, runCommand } from './setup/command.mjs';
import { fetchElectron } from './setup/electron.mjs';
import { SetupFailure } from './setup/failure.mjs';
import { main, setUp } from './setup/index.mjs';
import { createProgress } from './setup/progress.mjs';
import { inProject } from './setup/project.mjs';
import { signChecksums, writeChecksums } from './package/checksums.mjs';
import { missingIcons, packagedFiles, platforms, readConfig, problemsOf } from './package/contents.mjs';
import { licencesPath, licenceTexts } from './package/licences.mjs';
import { makeSbom, sbomPath } from './package/sbom.mjs';
import { sourceDate } from './package/source-date.mjs';
import { makeWebPackages } from './package/web/make.mjs';

const require = createRequire(import.meta.url);
const own = { linux: 'linux', win32: 'win', darwin: 'mac' }[process.platform];
const offline =
  /ENOTFOUND|ETIMEDOUT|ECONNRE|EAI_AGAIN|status code 40[34]|cannot resolve|getaddrinfo|ERR_ELECTRON_BUILDER_CANNOT_EXECUTE/i;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function checked() {
  let config;
  try {
    config = await readConfig();
  } catch (error) {
    throw new SetupFailure(
      'electron-builder.yml does not fit electron-builder’s schema',
      'mend what is named above',
      error instanceof Error ? error.message : String(error),
    );
  }
  process.stdout.write('✓ electron-builder.yml fits electron-builder’s schema\n');
  for (const platform of platforms) {
    const files = packagedFiles(config, platform);
    const wrong = [...problemsOf(files), ...missingIcons(config).map((icon) => `missing: ${icon}`)];
    if (wrong.length > 0) {
      throw new SetupFailure(
        `the files for ${platform} are not right`,
        'mend electron-builder.yml',
        wrong.join('\n'),
      );
    }
    const targets = config[platform].target
      .map(({ target, arch }) => `${target} (${arch.join(', ')})`)
      .join(', ');
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    process.stdout.write(`✓ ${platform}: ${targets}: ${files.length} files, ${megabytes(bytes)}\n`);
    if (platform === (own ?? 'linux') && !process.argv.includes('--check')) {
      for (const file of files) process.stdout.write(`    ${file.path}  ${file.bytes}\n`);
    }
  }
  return config;
}

await main(async () => {
  const { node } = await setUp({ lenient: true, purpose: 'app' });
  const progress = createProgress();
  await progress.step('bill of materials and licences', async () => {
    writeFileSync(
      sbomPath,
      `${JSON.stringify(await makeSbom({ seconds: await sourceDate() }), undefined, 1)}\n`,
    );
    writeFileSync(licencesPath, licenceTexts());
  });
  const config = await checked();
  if (process.argv.includes('--check')) {
    process.stdout.write('\nStopped here, nothing was made: --check was given.\n');
    return 0;
  }
  rmSync(inProject('release'), { recursive: true, force: true });
  const built = await makeWebPackages(progress, config, { quick: process.argv.includes('--quick') });
  const listed = async () => {
    copyFileSync(sbomPath, inProject('release', 'sbom.cdx.json'));
    await writeChecksums(inProject('release'));
    const signed = await signChecksums(inProject('release'), process.env.RINGLAB_SIGNING_KEY);
    const sums = signed
      ? 'SHA256SUMS, SHA256SUMS.asc'
      : 'SHA256SUMS (RINGLAB_SIGNING_KEY names a key to sign it)';
    process.stdout.write(`In release/: ${built.join(', ')}; beside them sbom.cdx.json, ${sums}\n`);
    return 0;
  };
  const stopped = (why) => {
    process.stdout.write(`\nNo installer with Electron was made: ${why}\n`);
    return listed();
  };
  if (own === undefined) return stopped(`electron-builder has no target for ${process.platform}.`);
  if ((await fetchElectron(node, progress)) === undefined) {
    return stopped(
      'Electron’s binary is not to be had on this machine. Where it is (or where ELECTRON_MIRROR names a place that has it), the same command goes on from here.',
    );
  }
  const refused = [];
  for (const { target } of config[own].target) {
    await progress.step(target, async () => {
      const { code, output } = await runCommand(
        node,
        [
          require.resolve('electron-builder/cli.js'),
          `--${own}`,
          target,
          '--publish',
          'never',
          '--config',
          'electron-builder.yml',
        ],
        { cwd: inProject() },
      );
      if (code === 0) built.push(target);
      else if (offline.test(output)) refused.push(target);
      else {
        throw new SetupFailure(
          `electron-builder could not make ${target}`,
          'see its last lines above',
          lastLines(output, 40),
        );
      }
    });
  }
  return refused.length === 0
    ? listed()
    : stopped(`electron-builder’s tools for ${refused.join(', ')} cannot be downloaded on this machine.`);
});
