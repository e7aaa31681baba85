import { describe, expect, it } from 'vitest';
import {
  absentOf,
  aptLine,
  aptTrouble,
  localPackages,
  missingOf,
  remedyFor,
  servicesOf,
  sizeOf,
  testPackages,
  trainerPackages,
} from './debian-packages.mjs';

describe('missing packages', () => {
  it('are not those that the user holds at a version', () => {
    expect(missingOf(['cmake', 'g++'], 'cmake hi  3.25.1-1\ng++ hc  4:12.2.0-3')).toEqual(['g++']);
  });

  it('are those that dpkg does not know, removed ones, and those left half installed', () => {
    const listing = [
      'cmake ii  3.25.1-1',
      'g++ rc  4:12.2.0-3',
      'ninja-build iU  1.11.1-2',
      'zlib1g-dev ii  1:1.2.13',
      'dpkg-query: no packages found matching libtorch-dev',
    ].join('\n');
    expect(missingOf(['cmake', 'g++', 'ninja-build', 'libtorch-dev', 'zlib1g-dev'], listing)).toEqual([
      'g++',
      'ninja-build',
      'libtorch-dev',
    ]);
  });

  it('are named in a command that can be typed', () => {
    expect(aptLine(['cmake', 'g++'], 'sudo')).toBe(
      'sudo apt-get update; sudo apt-get install -y --no-install-recommends cmake g++',
    );
    expect(aptLine(['cmake', 'g++'], 'su')).toBe(
      "su - -c 'apt-get update; apt-get install -y --no-install-recommends cmake g++'",
    );
  });
});

describe('packages that the archive lacks', () => {
  it('are those without a candidate, and those that apt does not know', () => {
    const policy = [
      'dropbear-bin:\n  Installed: (none)\n  Candidate: 2022.83-1\n  Version table:\n     2022.83-1 500\n',
      'chromium-headless-shell:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n',
      'curl:\n  Installed: 7.88.1\n  Candidate: 7.88.2\n',
    ].join('');
    expect(absentOf(['curl', 'chromium-headless-shell', 'wireguard-go', 'dropbear-bin'], policy)).toEqual([
      'chromium-headless-shell',
      'wireguard-go',
    ]);
  });
});

describe('the lists of packages', () => {
  it('name each package once', () => {
    const all = [...trainerPackages, ...localPackages, ...testPackages];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the size of an installation', () => {
  it.each([
    [
      'Need to get 1,234 MB of archives.\nAfter this operation, 3,210 MB of additional disk space will be used.\nDo you want to continue? [Y/n] N\nAbort.',
      'to download: 1,234 MB, 3,210 MB on disk',
    ],
    ['Need to get 0 B/56.7 kB of archives.', 'to download: 0 B'],
    ['E: Unable to locate package libtorch-dev', undefined],
  ])('%s', (output, size) => {
    expect(sizeOf(output)).toBe(size);
  });
});

describe('services that Debian starts with a package', () => {
  it('are those of the packages that are to be installed', () => {
    expect(servicesOf(['cmake', 'munge', 'slurmd'])).toEqual(['munge.service', 'slurmd.service']);
    expect(servicesOf(['cmake'])).toEqual([]);
  });
});

describe('the advice after a failure of apt', () => {
  it('names this system, and the sections of its archive that have the packages', () => {
    const words = remedyFor(
      'E: Unable to locate package libtorch-dev',
      ['libtorch-dev'],
      'Ubuntu 24.04.1 LTS',
    );
    expect(words).toContain('Ubuntu 24.04.1 LTS');
    expect(words).toContain('universe');
    expect(words).not.toContain('Debian 12');
    expect(words).toContain(aptLine(['libtorch-dev']));
  });

  it('names apt’s sources, or the full disk, where the lists could not be updated before', () => {
    const after = (update) =>
      remedyFor('E: Unable to locate package cmake', ['cmake'], 'Debian GNU/Linux 12', update);
    expect(after('E: The repository … does not have a Release file.')).toContain('sources.list.d');
    expect(after('E: Write error - write (28: No space left on device)')).toContain('disk is full');
  });
});

describe('apt’s messages', () => {
  it.each([
    ['E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)', 'locked'],
    [
      'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
      'locked',
    ],
    [
      "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.",
      'interrupted',
    ],
    ['E: Unable to locate package libtorch-dev', 'stale'],
    ["E: Package 'libtorch-dev' has no installation candidate", 'stale'],
    ['E: Failed to fetch http://deb.example/pool/x.deb  404  Not Found', 'stale'],
    ["Temporary failure resolving 'deb.example'\nE: Failed to fetch http://deb.example/x.deb", 'offline'],
    ["E: You don't have enough free space in /var/cache/apt/archives/.", 'full'],
    ['E: Sub-process /usr/bin/dpkg returned an error code (1)', 'other'],
  ])('%s', (output, trouble) => {
    expect(aptTrouble(output)).toBe(trouble);
  });
});
