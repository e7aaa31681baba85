import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recoverFunctions } from './recover-folder.ts';
import { programsOnly } from '../ssh/testing/local-shell.ts';

let folder = '';
let incoming = '';
/** As `sha256sum` writes them. */
let lines: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-recover-'));
  incoming = join(folder, '.incoming-pets-1-n1');
  mkdirSync(join(incoming, 'train'), { recursive: true });
  for (let index = 0; index < 80; index += 1)
    writeFileSync(join(incoming, 'train', `${index}.jpg`), `${index}`);
  list();
  writeFileSync(join(incoming, '.ringlab-relayed'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function list(): void {
  const find = 'find train -type f -print0 | sort -z | xargs -0 sha256sum | tee .ringlab-manifest';
  lines = execFileSync('sh', ['-c', find], { cwd: incoming, encoding: 'utf8' }).trimEnd().split('\n');
}
const script = (before = ''): string =>
  `${recoverFunctions(incoming)}${before}\nenter || exit 5\n[ ! -e .ringlab-relayed ] || recover`;
/** The real programs, but for these. */
const pathOf = (name: string, programs: Readonly<Record<string, string>>): string =>
  `${programsOnly(join(folder, name), programs)}:${process.env.PATH ?? ''}`;
const recover = (
  programs: Readonly<Record<string, string>> = {},
  before = '',
): { status: number | null; stderr: string } =>
  spawnSync('sh', ['-c', script(before)], {
    env: { PATH: pathOf('bin', programs) },
    encoding: 'utf8',
  });
const files = (): number => readdirSync(join(incoming, 'train')).length;
const have = (): string[] => readFileSync(join(incoming, '.ringlab-have'), 'utf8').trimEnd().split('\n');
const real = '/usr/bin/sha256sum';

test('a file named as standard input is verified, and stays', () => {
  const name = join(incoming, '-');
  writeFileSync(name, 'kept');
  const line = execFileSync('sha256sum', ['./-'], { cwd: incoming, encoding: 'utf8' });
  writeFileSync(join(incoming, '.ringlab-manifest'), `${line}${lines.join('\n')}\n`);
  expect(recover().status).toBe(0);
  expect(readFileSync(name, 'utf8')).toBe('kept');
  expect(have()).toEqual([line.trimEnd(), ...lines]);
});

test('what differs and what is not on the list goes, what is verified stays and is noted', () => {
  writeFileSync(join(incoming, 'train', '7.jpg'), 'torn');
  writeFileSync(join(incoming, 'train', 'more \\ \n.jpg'), 'more');
  const { status, stderr } = recover();
  expect(status).toBe(0);
  expect(stderr).toContain('train/7.jpg: FAILED');
  expect(files()).toBe(79);
  expect(have()).toEqual(lines.filter((line) => !line.endsWith('/7.jpg')));
  expect(readdirSync(incoming).sort()).toEqual(['.ringlab-have', '.ringlab-manifest', 'train']);
});

test('nothing that is whole is removed where no list can be written, as on a full disk', () => {
  writeFileSync(join(incoming, 'train', '7.jpg'), 'torn');
  const limit = "trap '' XFSZ; ulimit -f 4";
  expect(recover({}, limit).status).not.toBe(0);
  expect(files()).toBe(79);
  // With room again, the next attempt has all of them.
  expect(recover().status).toBe(0);
  expect(have()).toHaveLength(79);
});

test.each([
  ['is killed', `${real} "$@" | head -n 30; kill -9 $$`],
  ['does not get to the end of the list', `${real} "$@" | head -n 30; exit 1`],
  ['lacks a line in the middle', `${real} "$@" | sed 30d; exit 1`],
  ['is not there', 'exit 127'],
])('nothing is removed or noted where sha256sum %s', (_, program) => {
  const { status, stderr } = recover({ sha256sum: `#!/bin/sh\n${program}\n` });
  expect(status).not.toBe(0);
  expect(stderr).toContain('not all files were verified');
  expect(files()).toBe(80);
  expect(existsSync(join(incoming, '.ringlab-relayed'))).toBe(true);
});

test('names with backslashes and line ends are verified', () => {
  for (const name of ['a \r.jpg', 'b \n.jpg', 'c \\r\\ \r\n.jpg', 'd \\\\r.jpg'])
    writeFileSync(join(incoming, 'train', name), name);
  list();
  expect(lines.filter((line) => line.startsWith('\\'))).toHaveLength(4);
  expect(recover()).toEqual(expect.objectContaining({ status: 0, stderr: '' }));
  expect(files()).toBe(84);
  expect(have()).toEqual(lines);
});

test('a name that an older sha256sum cannot read costs no other file', () => {
  for (const name of ['a \r.jpg', 'z \r.jpg']) writeFileSync(join(incoming, 'train', name), 'cat');
  list();
  // Before coreutils 9 such a line of the list is 'improperly formatted', and skipped. The newest ones write \r as two letters.
  const older = `#!/bin/sh\n${real} "$@" | grep -v '[az] .*\\.jpg: OK'; exit 1\n`;
  expect(recover({ sha256sum: older }).status).toBe(0);
  expect(files()).toBe(82);
  expect(have()).toEqual(lines.filter((line) => !line.startsWith('\\')));
});

test.each([
  ['waits for it', '#!/bin/sh\n: > "$WAITS"; exec /usr/bin/flock "$@"\n'],
  ['has no lock of this file system', '#!/bin/sh\nexit 1\n'],
])('one whose connection was lost works on: another %s, and nothing is lost', async (_, flock) => {
  const start = (name: string, sha256sum: string) => {
    const child = spawn('sh', ['-c', script()], {
      env: {
        PATH: pathOf(name, { flock, sha256sum: `#!/bin/sh\n${sha256sum}\n` }),
        WAITS: join(folder, `${name}-waits`),
      },
      stdio: 'ignore',
    });
    return { child, ended: once(child, 'close') };
  };
  const [began, go] = [join(folder, 'began'), join(folder, 'go')];
  const halves = `${real} "$@" | { for i in 1 2 3; do read -r l; echo "$l"; done; : > ${began}; while [ ! -e ${go} ]; do sleep 0.05; done; cat; }`;
  const first = start('first', halves);
  await expect.poll(() => existsSync(began)).toBe(true);
  const second = start('second', `exec ${real} "$@"`);
  await expect
    .poll(() => second.child.exitCode !== null || existsSync(join(folder, 'second-waits')))
    .toBe(true);
  writeFileSync(go, '');
  await Promise.all([first.ended, second.ended]);
  expect([first.child.exitCode, second.child.exitCode]).toEqual([0, 0]);
  expect(files()).toBe(80);
  expect(have()).toEqual(lines);
});

test('a folder that cannot be cleaned stays where no other can be made, as on a full disk', () => {
  writeFileSync(join(incoming, 'train', '7.jpg'), 'torn');
  const full = (program: string): string =>
    `#!/bin/sh\n[ "$1" = -p ] && exec /bin/${program} "$@"\necho "${program}: No space left on device" >&2; exit 1\n`;
  for (const program of ['mkdir', 'cp']) {
    const { status, stderr } = recover({
      rm: full('rm'),
      mkdir: '#!/bin/sh\nexec /bin/mkdir "$@"\n',
      [program]: full(program),
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('No space left on device');
    expect(files()).toBe(80);
  }
});
