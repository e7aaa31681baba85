import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProject } from '../setup/project.mjs';
import { missingIcons, packagedFiles, platforms, readConfig, problemsOf } from './contents.mjs';

const config = await readConfig();

describe('electron-builder.yml', () => {
  it('builds AppImage and deb, NSIS, and dmg for both kinds of Mac', () => {
    const targets = platforms.map((platform) =>
      config[platform].target.map(({ target, arch }) => [target, ...arch]),
    );
    expect(targets).toEqual([
      [
        ['AppImage', 'x64'],
        ['deb', 'x64'],
      ],
      [['nsis', 'x64']],
      [['dmg', 'arm64', 'x64']],
    ]);
  });

  it('disables Electron’s ways to run other code as Ringlab', () => {
    expect(config.asar).toBe(true);
    expect(config.disableAsarIntegrity).toBeUndefined();
    expect(config.electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  it('names existing icons', () => {
    expect(missingIcons(config)).toEqual([]);
    expect(missingIcons({ linux: { icon: 'assets/icons/none.png' } })).toEqual(['assets/icons/none.png']);
  });
});

describe('the files of an installer', () => {
  it.each(platforms)('are the example labs and the trainer’s sources, for %s', (platform) => {
    const paths = packagedFiles(config, platform).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['native/CMakeLists.txt', 'native/PROTOCOL.md', 'LICENSE']));
    expect(paths.filter((path) => path.startsWith('assets/labs/'))).toHaveLength(8);
    expect(paths.filter((path) => /^native\/(tests|bench)\//.test(path))).toEqual([]);
    expect(paths.filter((path) => path.includes('node_modules') || path.endsWith('.map'))).toEqual([]);
  });

  it.each(platforms)('are the package for Python without its tests, for %s', (platform) => {
    const paths = packagedFiles(config, platform).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['python/ringlab/wandb.py', 'python/ringlab/py.typed', 'python/pyproject.toml']),
    );
    expect(paths.filter((path) => /^python\/(tests|.*__pycache__)/.test(path))).toEqual([]);
  });

  it('are a trainer with the note of its C library, on Linux', () => {
    const built = config.linux.extraResources.map(({ from, to }) => [from, to]);
    const trainer = 'native/build/ringlab-train';
    expect(built).toEqual([trainer, `${trainer}.glibc`].map((path) => [path, path]));
  });

  it('leave out what is built or tested beside the sources', () => {
    const folder = mkdtempSync(inProject('native', 'build-'));
    try {
      mkdirSync(join(folder, 'generated'));
      writeFileSync(join(folder, 'generated', 'source_hash.h'), '');
      const paths = packagedFiles(config, 'linux').map(({ path }) => path);
      expect(paths.filter((path) => path.includes('source_hash.h'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are checked for missing and unwanted ones', () => {
    const right = [
      'app.asar/package.json',
      'app.asar/dist/main/electron.js',
      'app.asar/dist/main/part-app-H4SH.js',
      'app.asar/dist/main/store-worker.js',
      'app.asar/dist/main/preload.cjs',
      'app.asar/dist/renderer/index.html',
      'app.asar/dist/renderer/assets/index-1.js',
      'app.asar/dist/renderer/assets/index-1.css',
      'assets/labs/three-local-nodes.lab.json',
      'assets/archive-keys/debian-12.asc',
      'assets/icons/png/256x256.png',
      'sbom.cdx.json',
      'native/CMakeLists.txt',
      'native/src/main.cpp',
      'native/base/json.h',
      'native/build/ringlab-train',
      'native/build/ringlab-train.glibc',
      'python/ringlab/__init__.py',
    ].map((path) => ({ path, bytes: 1 }));
    expect(problemsOf(right)).toEqual([]);
    expect(problemsOf(right.filter(({ path }) => !path.includes('preload')))).toEqual([
      'missing: app.asar/dist/main/preload.cjs',
    ]);
    for (const path of [
      'app.asar/node_modules/ssh2/index.js',
      'app.asar/dist/main/electron.js.map',
      'native/build/main.o',
      'native/tests/json_test.cpp',
    ]) {
      expect(problemsOf([...right, { path, bytes: 1 }])).toEqual([`should not go along: ${path}`]);
    }
  });
});
