/** Tests which of a node's package sources gets more components, with the real apt and an archive made of files. Needs root. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addComponents } from './debian-components.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canTest = isRoot && existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/unshare');
const components = 'contrib non-free non-free-firmware';

let folder = '';
const inEtc = (...path: string[]): string => join(folder, 'apt', ...path);
const sources = (name: string, text: string): void => writeFileSync(inEtc('sources.list.d', name), text);
const ours = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(inEtc('sources.list.d'))
      .filter((name) => name.startsWith('ringlab'))
      .map((name) => [name, readFileSync(inEtc('sources.list.d', name), 'utf8')]),
  );

const packages =
  'Package: nothing\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\nFilename: c\nSize: 1\n\n';

/** An archive of one package, whose suite is bookworm. Returns its address. */
function archive(name: string, origin: string, parts: string): string {
  const place = join(folder, name);
  const suite = join(place, 'dists', 'bookworm');
  for (const part of parts.split(' ')) {
    mkdirSync(join(suite, part, 'binary-amd64'), { recursive: true });
    writeFileSync(join(suite, part, 'binary-amd64', 'Packages'), packages);
  }
  const hashes = execFileSync('sh', ['-c', 'find . -name Packages -exec sha256sum {} +'], {
    cwd: suite,
    encoding: 'utf8',
  });
  writeFileSync(
    join(suite, 'Release'),
    `Origin: ${origin}\nSuite: stable\nCodename: bookworm\nDate: Sat, 12 Jul 2025 09:00:00 UTC\nArchitectures: amd64\nComponents: ${parts}\nSHA256:\n${hashes.replaceAll(/^(\w+) +\.\/(.*)$/gm, ` $1 ${packages.length} $2`)}`,
  );
  return `file:${place}`;
}

/** Runs a script where /etc/apt and apt's lists are this test's. */
function onNode(script: string): { code: number | null; stderr: string } {
  const binds = [
    [inEtc(), '/etc/apt'],
    [join(folder, 'lists'), '/var/lib/apt/lists'],
    [join(folder, 'cache'), '/var/cache/apt'],
    [join(folder, 'os-release'), '/etc/os-release'],
  ].map(([from, to]) => `mount --bind '${from}' "$(readlink -f ${to})"`);
  const run = spawnSync('unshare', ['--mount', 'sh', '-c', `${binds.join(' && ')} || exit 99\n${script}`], {
    encoding: 'utf8',
  });
  return { code: run.status, stderr: run.stderr };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-components-'));
  // apt's own account reads them.
  execFileSync('chmod', ['755', folder]);
  mkdirSync(inEtc('sources.list.d'), { recursive: true });
  mkdirSync(inEtc('apt.conf.d'));
  writeFileSync(
    inEtc('apt.conf.d', 'test'),
    'APT::Architecture "amd64"; APT::Architectures { "amd64"; }; APT::Sandbox::User "root";\n',
  );
  mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
  mkdirSync(join(folder, 'cache', 'archives', 'partial'), { recursive: true });
  writeFileSync(join(folder, 'os-release'), 'VERSION_CODENAME=bookworm\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const add = addComponents('apt-get', components);

describe.skipIf(!canTest)('the components that have NVIDIA’s driver', () => {
  it('are added with the options of Debian’s own entry, whatever other archives are read before it', () => {
    const debian = archive('debian', 'Debian', `main ${components}`);
    const other = archive('other', 'Somebody', 'main');
    sources('another.list', `deb [trusted=yes] ${other} bookworm main\n`);
    sources(
      'debian.sources',
      `Types: deb
# A comment.
URIs: ${debian}/
Suites: bookworm
Components: main
Trusted: yes
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEYCQjIxYJKwYBBAHaRw8BAQdA
 -----END PGP PUBLIC KEY BLOCK-----
`,
    );
    // As an earlier version left it: apt refuses all sources.
    sources('ringlab-nonfree.list', `deb ${debian} bookworm main contrib\n`);
    expect(onNode('apt-get update').stderr).toContain('Conflicting values set for option');
    expect(onNode(add)).toMatchObject({ code: 0 });
    expect(ours()).toEqual({
      'ringlab-nonfree.sources': expect.stringMatching(
        /^Types: deb\nURIs: file:.*\/debian\nSuites: bookworm\nComponents: contrib non-free non-free-firmware\nTrusted: yes\nSigned-By:\n -----BEGIN/,
      ) as string,
    });
    expect(
      onNode("apt-get indextargets --format '$(SITE) $(COMPONENT)' | grep -qx '.*/debian non-free-firmware'")
        .code,
    ).toBe(0);
  });

  it('are added to a line of sources.list with its options', () => {
    const debian = archive('debian', 'Debian', `main ${components}`);
    writeFileSync(
      inEtc('sources.list'),
      `# deb ${debian} bookworm main\ndeb  [ trusted=yes signed-by=/usr/share/keyrings/a.gpg ] ${debian}/ bookworm main # mirror\n`,
    );
    expect(onNode(add)).toMatchObject({ code: 0 });
    expect(ours()).toEqual({
      'ringlab-nonfree.list': `deb [ trusted=yes signed-by=/usr/share/keyrings/a.gpg ] ${debian} bookworm ${components}\n`,
    });
  });

  it('are removed again where apt cannot read them', () => {
    expect(onNode(addComponents('false', components)).code).toBe(1);
    expect(ours()).toEqual({});
  });
});
