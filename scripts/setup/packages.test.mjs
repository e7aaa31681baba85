import { describe, expect, it } from 'vitest';
import { agrees, npmRemedy } from './packages.mjs';

const lock = (packages) => JSON.stringify({ lockfileVersion: 3, packages });

describe('the installed npm packages', () => {
  const wanted = lock({
    '': { name: 'ringlab' },
    'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
    'node_modules/only-on-macos': { version: '1.0.0', optional: true },
  });

  it('are complete if every package has its version; optional ones for other systems may be missing', () => {
    expect(agrees(wanted, lock({ 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' } }))).toBe(
      true,
    );
  });

  it.each([
    ['nothing was laid down', undefined],
    ['npm was interrupted while it wrote', '{"packages":{"node_mod'],
    ['a package lacks', lock({})],
    ['a version differs', lock({ 'node_modules/zod': { version: '4.6.6', integrity: 'sha512-a' } })],
    [
      'the same version has another content',
      lock({ 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-b' } }),
    ],
  ])('is not where %s', (_why, installed) => {
    expect(agrees(wanted, installed)).toBe(false);
  });
});

describe('the advice after a failure of npm', () => {
  it.each([
    [127, 'npm: not found', 'install npm'],
    [1, 'npm error code ENOSPC', 'disk is full'],
    [1, 'npm error code EACCES', 'may not write'],
    [
      1,
      'npm error network request to https://… failed, reason: getaddrinfo ENOTFOUND',
      'cannot reach its registry',
    ],
    [
      1,
      '`npm ci` can only install packages when your package.json and package-lock.json are in sync.',
      'npm install',
    ],
    [1, 'npm error something else', 'start again'],
  ])('exit code %i: %s', (code, said, remedy) => {
    expect(npmRemedy(code, said)).toContain(remedy);
  });
});
