import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProject } from '../setup/project.mjs';
import { signChecksums, writeChecksums } from './checksums.mjs';
import { readConfig } from './contents.mjs';
import { licencesPath, licenceTexts } from './licences.mjs';
import { completeSbom, makeSbom, sbomPath } from './sbom.mjs';

const config = await readConfig();

describe('the bill of materials', () => {
  it('names every package of the program with its version and hash, Electron, and the trainer’s libraries', async () => {
    const sbom = await makeSbom({ seconds: 1_700_000_000 });
    const manifest = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { type: 'application', name: 'ringlab', version: manifest.version } },
    });
    const versions = Object.fromEntries(sbom.components.map(({ name, version }) => [name, version]));
    expect(versions).toMatchObject({ ...manifest.dependencies, electron: manifest.devDependencies.electron });
    expect(Object.keys(versions)).toEqual(
      expect.arrayContaining(['libtorch', 'libjpeg', 'libtiff', 'libwebp', 'zlib']),
    );
    for (const absent of ['vitest', 'typescript', ...Object.keys(manifest.optionalDependencies)])
      expect(versions).not.toHaveProperty(absent);
    const fromNpm = sbom.components.filter(
      ({ purl }) => purl?.startsWith('pkg:npm/') && !/electron@/.test(purl),
    );
    for (const part of fromNpm) expect(part.hashes, part.name).toHaveLength(1);
    // Dependencies point only to listed components.
    const refs = new Set([sbom.metadata.component, ...sbom.components].map((part) => part['bom-ref']));
    for (const { ref, dependsOn = [] } of sbom.dependencies)
      for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
    // No path of the build machine.
    expect(JSON.stringify(sbom)).not.toContain(inProject());
  });

  it('omits the libraries’ versions outside of Debian', () => {
    const npm = { metadata: { component: { 'bom-ref': 'x@1' } }, components: [], dependencies: [] };
    const sbom = completeSbom(npm, {
      name: 'ringlab',
      version: '1',
      host: { name: 'none' },
      seconds: 0,
      absent: [],
      debian: {},
    });
    expect(sbom.components.find(({ name }) => name === 'libtorch')).not.toHaveProperty('version');
  });

  it('names Node in place of Electron where a package brings that, and is the same each time', () => {
    // npm gives each list a time and a random number.
    const npm = () => ({
      serialNumber: `urn:uuid:${crypto.randomUUID()}`,
      metadata: { timestamp: new Date().toISOString(), component: { 'bom-ref': 'x@1' } },
      components: [],
      dependencies: [{ ref: 'x@1', dependsOn: [] }],
    });
    const known = {
      name: 'ringlab',
      version: '1',
      host: { name: 'node', version: '24.1.0' },
      seconds: 1_700_000_000,
      absent: [],
      debian: {},
    };
    const sbom = completeSbom(npm(), known);
    const names = sbom.components.map(({ name, version }) => `${name} ${version}`);
    expect(names).toContain('node 24.1.0');
    expect(names.filter((name) => name.startsWith('electron '))).toEqual([]);
    expect(sbom.metadata.timestamp).toBe('2023-11-14T22:13:20.000Z');
    expect(completeSbom(npm(), known)).toEqual(sbom);
    const later = completeSbom(npm(), { ...known, seconds: 1 });
    expect(later.serialNumber).not.toBe(sbom.serialNumber);
  });

  it('is in every package', () => {
    const entry = config.extraResources.find(({ to }) => to === 'sbom.cdx.json');
    expect(inProject(entry.from)).toBe(sbomPath);
  });
});

describe('the licences', () => {
  it('of every bundled package are included, with the full text if the package has it', () => {
    const text = licenceTexts();
    const { dependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) expect(text).toContain(`${name} ${version}`);
    expect(text).toMatch(/GNU LESSER GENERAL PUBLIC LICENSE/);
    expect(text.match(/Permission is hereby granted/g).length).toBeGreaterThan(20);
    expect(text).not.toContain(inProject());
  });

  it('are in every package', () => {
    const entry = config.extraResources.find(({ to }) => to === 'THIRD-PARTY-LICENCES.txt');
    expect(inProject(entry.from)).toBe(licencesPath);
  });
});

describe('SHA256SUMS', () => {
  it('lists the downloads in the format of sha256sum', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-release-'));
    try {
      writeFileSync(join(folder, 'Ringlab 1.deb'), 'deb');
      writeFileSync(join(folder, 'Ringlab.AppImage'), 'image');
      writeFileSync(join(folder, 'builder-debug.yml'), '');
      const text = await writeChecksums(folder);
      expect(
        text
          .trim()
          .split('\n')
          .map((line) => line.slice(66)),
      ).toEqual(['Ringlab 1.deb', 'Ringlab.AppImage']);
      if (process.platform === 'linux') {
        const check = () =>
          execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });
        check();
        writeFileSync(join(folder, 'Ringlab.AppImage'), 'another');
        expect(check).toThrow();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!existsSync('/usr/bin/gpg'))(
    'is signed with the key that is named, and with none otherwise',
    async () => {
      // Short: GnuPG's agent has a socket in it.
      const folder = mkdtempSync(join(tmpdir(), 'rl-gpg-'));
      const before = process.env.GNUPGHOME;
      process.env.GNUPGHOME = folder;
      try {
        await writeChecksums(folder);
        expect(await signChecksums(folder, undefined)).toBe(false);
        await expect(signChecksums(folder, 'nobody@ringlab.invalid')).rejects.toThrow('could not sign');
        const quick = [
          '--batch',
          '--passphrase',
          '',
          '--quick-gen-key',
          'a@ringlab.invalid',
          'ed25519',
          'sign',
        ];
        execFileSync('gpg', quick, { stdio: 'pipe' });
        expect(await signChecksums(folder, 'a@ringlab.invalid')).toBe(true);
        const verify = () =>
          execFileSync('gpg', ['--verify', 'SHA256SUMS.asc', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });
        verify();
        writeFileSync(join(folder, 'SHA256SUMS'), 'changed');
        expect(verify).toThrow();
      } finally {
        execFileSync('gpgconf', ['--kill', 'all'], { stdio: 'pipe' });
        if (before === undefined) delete process.env.GNUPGHOME;
        else process.env.GNUPGHOME = before;
        rmSync(folder, { recursive: true });
      }
    },
  );
});
