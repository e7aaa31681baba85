/** Tests that a zip has the same names on every node, whatever system made it and whatever the node unpacks it with. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unpacking } from './data-url.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-unzip-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Python's zipfile writes no other names than its own. @param made `ENCODING FLAGS SYSTEM`, and `stated` for the field 0x7075 */
const maker = `import struct, sys, zipfile, zlib
path, encoding, flags, system, stated, *names = sys.argv[1:]
class Entry(zipfile.ZipInfo):
    def _encodeFilenameFlags(self): return self.filename.encode(encoding), int(flags, 16)
with zipfile.ZipFile(path, "w") as archive:
    for name in names:
        entry = Entry("x")
        entry.filename, entry.create_system = name, int(system)
        if stated:
            text = name.encode("utf-8")
            entry.extra = struct.pack("<HHBI", 0x7075, len(text) + 5, 1, zlib.crc32(name.encode(encoding))) + text
        if name.endswith(".link"): entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "../1.jpg" if name.endswith(".link") else name)`;
const zipOf = (made: string, names: readonly string[]): string => {
  const archive = join(folder, 'pets.zip');
  const [encoding = '', flags = '', system = '', stated = ''] = made.split(' ');
  execFileSync('python3', ['-c', maker, archive, encoding, flags, system, stated, ...names]);
  return archive;
};

/** What this system has but for some programs. */
function without(...programs: readonly string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const name of readdirSync('/usr/bin'))
    if (!programs.some((program) => name.startsWith(program)))
      symlinkSync(join('/usr/bin', name), join(bin, name));
  return bin;
}

function unpack(archive: string, path = process.env.PATH ?? ''): string[] {
  const to = join(folder, 'unpacked');
  // It is removed once it is unpacked.
  const copy = `${archive}.archive`;
  copyFileSync(archive, copy);
  execFileSync('sh', ['-c', unpacking(copy, to, 'hash').command], {
    env: { PATH: path, HOME: folder, LC_ALL: 'C' },
    stdio: 'pipe',
  });
  return readdirSync(to, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.ringlab'))
    .map((entry) => join(entry.parentPath, entry.name).slice(to.length + 1))
    .sort();
}

const named = (classes: readonly string[]): string[] =>
  classes.flatMap((name) => [`train/${name}/0.jpg`, `train/${name}/1.jpg`, `val/${name}/0.jpg`]).sort();

test.each([
  ['Python on Windows', 'utf-8 800 0', ['鹿', '鱼', '马']],
  ['Explorer in Chinese', 'gbk 0 0', ['猫', '花', '狗']],
  ['Explorer in Chinese, with a rare character', 'gb18030 0 0', ['镕', '鱼', '马']],
  ['macOS', 'utf-8 0 3', ['鹿', '鱼', '马']],
  ['Python on Linux', 'utf-8 800 3', ['鹿', '鱼', '马']],
  ['Explorer in French', 'cp437 0 0', ['créée', 'été', 'Noël']],
  ['WinZip, which states a name once more', 'cp866 0 0 stated', ['кот', 'собака', 'рыба']],
])('the classes of a zip are those of the computer that made it: %s', (_, made, classes) => {
  const archive = zipOf(made, named(classes));
  expect(unpack(archive)).toEqual(named(classes));
  rmSync(join(folder, 'unpacked'), { recursive: true });
  expect(unpack(archive, without('unzip'))).toEqual(named(classes));
  expect(readFileSync(join(folder, 'unpacked', `val/${classes[0]!}/0.jpg`), 'utf8')).toBe(
    `val/${classes[0]!}/0.jpg`,
  );
});

test('without python3 a zip is refused whose names unzip would change, and others are unpacked', () => {
  const path = without('python3');
  expect(() => unpack(zipOf('utf-8 800 0', named(['鹿', '鱼', '马'])), path)).toThrow('install python3');
  expect(() => unpack(zipOf('gbk 0 0', named(['猫', '花', '狗'])), path)).toThrow('install python3');
  expect(readdirSync(folder)).not.toContain('unpacked');
  expect(unpack(zipOf('utf-8 800 3', named(['鹿', '马'])), path)).toEqual(named(['鹿', '马']));
  rmSync(join(folder, 'unpacked'), { recursive: true });
  expect(unpack(zipOf('utf-8 800 0', named(['cat', 'dog'])), path)).toEqual(named(['cat', 'dog']));
});

test('a zip of which unzip asks whether to replace a file is refused: it leaves the rest out', () => {
  const asks = `#!/bin/sh
[ "$1" = -q ] || exit 0
mkdir -p train/a && : > train/a/1.jpg
echo 'replace train/a/1.jpg? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL' >&2
exit 1
`;
  const path = `${programsOnly(join(folder, 'asks'), { unzip: asks })}:${process.env.PATH ?? ''}`;
  expect(() => unpack(zipOf('utf-8 0 3', named(['a'])), path)).toThrow('replace train/a/1.jpg');
  expect(readdirSync(folder)).not.toContain('unpacked');
});

test('names and links that leave the folder write nothing outside it', () => {
  mkdirSync(join(folder, 'aside'));
  const names = ['../aside/狗.jpg', `${folder}/aside/猫.jpg`, 'train/狗/1.jpg', 'train/狗/2.link'];
  unpack(zipOf('utf-8 800 3', names));
  expect(readdirSync(join(folder, 'aside'))).toEqual([]);
  expect(readdirSync(join(folder, 'unpacked', 'train', '狗')).sort()).toEqual(['1.jpg', '2.link']);
});
