import { describe, expect, it } from 'vitest';
import { limitsOf, systemOf, workOf } from './system.mjs';

const linux = (osRelease, more = {}) =>
  systemOf({ platform: 'linux', arch: 'x64', release: '6.1.0', osRelease, ...more });
const debian12 =
  'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n';
const fedora = 'NAME="Fedora Linux"\nVERSION_ID=41\nID=fedora\nPRETTY_NAME="Fedora Linux 41 (Workstation)"\n';

describe('the support of a system', () => {
  it.each([
    ['Debian GNU/Linux 12 (bookworm)', debian12],
    [
      'Debian GNU/Linux 13 (trixie)',
      'ID=debian\nVERSION_ID="13"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"',
    ],
    ['Ubuntu 22.04.5 LTS', "ID=ubuntu\r\nVERSION_ID='22.04'\r\nPRETTY_NAME='Ubuntu 22.04.5 LTS'\r\n"],
    ['Ubuntu 24.04.1 LTS', 'ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"'],
  ])('is complete on %s', (name, text) => {
    expect(linux(text)).toEqual({ name, support: 'complete' });
  });

  it.each([
    ['Fedora Linux 41 (Workstation)', fedora],
    [
      'Debian GNU/Linux 11 (bullseye)',
      'ID=debian\nVERSION_ID="11"\nPRETTY_NAME="Debian GNU/Linux 11 (bullseye)"',
    ],
    ['Debian GNU/Linux trixie/sid', 'ID=debian\nPRETTY_NAME="Debian GNU/Linux trixie/sid"'],
    ['Linux Mint 22', 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\nPRETTY_NAME="Linux Mint 22"'],
    ['Arch Linux', 'ID=arch\nNAME="Arch Linux"'],
    ['A "quoted" $name 12', 'ID=constructor\nNAME="A \\"quoted\\" \\$name"\nVERSION_ID="12"'],
    ['Linux', ''],
  ])('is that of a lab’s computer on %s', (name, text) => {
    expect(linux(text)).toEqual({ name, support: 'remote' });
  });

  it('is that of a lab’s computer on Windows, macOS and others', () => {
    const on = (platform, release, arch = 'x64') =>
      systemOf({ platform, arch, release, osRelease: debian12 });
    expect(on('win32', '10.0.26100')).toEqual({ name: 'Windows 10.0.26100', support: 'remote' });
    expect(on('darwin', '24.1.0', 'arm64')).toEqual({
      name: 'macOS (Darwin 24.1.0, Apple silicon)',
      support: 'remote',
    });
    expect(on('darwin', '23.0.0').name).toContain('Intel');
    expect(on('freebsd', '14.1')).toEqual({ name: 'freebsd 14.1', support: 'remote' });
  });
});

describe('what the set-up does', () => {
  const here = { apt: true, hasTrainer: false };
  const elsewhere = { apt: false, hasTrainer: false };

  it('for the window on a complete system: what local nodes need, not what tests need', () => {
    expect(workOf(linux(debian12), { purpose: 'app', ...here })).toEqual({ packages: 'app', trainer: true });
  });

  it('for the window elsewhere: no packages and no compiler, even where apt is there', () => {
    const mint = linux('ID=linuxmint\nVERSION_ID="22"');
    expect(workOf(mint, { purpose: 'app', ...here })).toEqual({ packages: 'none', trainer: false });
    expect(workOf(linux(fedora), { purpose: 'app', ...elsewhere })).toEqual({
      packages: 'none',
      trainer: false,
    });
  });

  it('keeps a trainer up to date that was built by hand', () => {
    const own = { purpose: 'app', apt: false, hasTrainer: true };
    expect(workOf(linux(fedora), own)).toEqual({ packages: 'none', trainer: true });
    expect(limitsOf(linux(fedora), true)).toBeUndefined();
  });

  it('for the tests: everything, on every system', () => {
    expect(workOf(linux(debian12), { purpose: 'tests', ...here })).toEqual({
      packages: 'everything',
      trainer: true,
    });
    expect(workOf(linux(fedora), { purpose: 'tests', ...elsewhere })).toEqual({
      packages: 'none',
      trainer: true,
    });
  });

  it('says which system has no local nodes, and which have', () => {
    expect(limitsOf(linux(debian12), false)).toBeUndefined();
    const words = limitsOf(linux(fedora), false);
    expect(words).toContain('Fedora Linux 41');
    expect(words).toContain('by SSH');
    for (const version of ['12', '13', '22.04', '24.04']) expect(words).toContain(version);
  });
});
