/** Tests `url`: an archive from servers on the loopback that break off, change bytes or have nothing. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { StepRecord } from '../../../shared/node/provision.ts';
import { startFileServer, type FileServer } from '../../transfer/testing/file-server.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../../ssh/testing/local-shell.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createBucketKeys, keepsNothing } from './bucket-keys.ts';
import { systemClock } from '../../base/clock.ts';
import type { NodeWork } from '../engine/step.ts';
import { createDataStep } from './data.ts';
import { createDataS3 } from './data-s3.ts';
import { createDataUpload } from './data-upload.ts';
import { unpacking } from './data-url.ts';
import { createFactsStep } from '../steps/facts.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createAsker } from '../testing/asker.ts';
import { canBeMachines, machine } from '../testing/shared-home.ts';
import { labOf } from '../testing/bench.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let folder = '';
let sha256 = '';
let servers: FileServer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-url-'));
  const pets = join(folder, 'pets');
  for (const part of ['train', 'val'])
    for (const name of ['cat', '狗']) {
      mkdirSync(join(pets, part, name), { recursive: true });
      writeFileSync(join(pets, part, name, '1.jpg'), Buffer.alloc(40_000, `${part} ${name}`));
    }
  mkdirSync(join(folder, 'web'));
  // Not compressed: its size is that of its content.
  execFileSync('tar', ['-cf', join(folder, 'web', 'pets.tar'), '-C', folder, 'pets']);
  sha256 = hashOf(join(folder, 'web', 'pets.tar'));
});
afterEach(async () => {
  await Promise.all(servers.map((one) => one.close()));
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const server = async (): Promise<FileServer> => {
  const made = await startFileServer(join(folder, 'web'));
  servers.push(made);
  return made;
};
const labWith = (urls: readonly string[], hash = sha256): LabDocument =>
  labOf(['anna'], { data: { type: 'url', urls: [...urls], sha256: hash } });

async function prepare(
  lab: LabDocument,
  programs: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<{ failed: unknown; step: StepRecord; work: NodeWork; shell: LocalShell }> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const path = `${programsOnly(join(folder, 'programs'), programs)}:${process.env.PATH ?? ''}`;
  const shell = createLocalShell({ home, path, through });
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  const run = stepRun(lab, shell, { nodeId: 'n0' });
  const failed = await runSteps(steps, run);
  return { failed, step: run.status.step('data').snapshot(), work: run.work, shell };
}

test('an archive is downloaded, verified, unpacked without its top folder, and later found', async () => {
  const web = await server();
  const lab = labWith([`${web.url}/pets.tar`]);
  const { failed, step, work } = await prepare(lab);
  expect(failed).toBeUndefined();
  expect(step.summary.en).toMatch(/data\/pets-[0-9a-f]{16} · 2 classes$/);
  execFileSync('diff', ['-r', '-x', '.ringlab-url', join(folder, 'pets'), work.data!]);
  expect(existsSync(`${work.data!}.archive`)).toBe(false);
  const asked = web.asked.length;
  expect((await prepare(lab)).step).toMatchObject({ state: 'done', alreadyThere: true });
  expect(web.asked).toHaveLength(asked);
});

test('an interrupted download resumes: no byte is sent twice', async () => {
  const web = await server();
  const total = readFileSync(join(folder, 'web', 'pets.tar')).length;
  const lab = labWith([`${web.url}/pets.tar`]);
  const sample = total; // maximum of bytes for measuring, once for each preparation
  web.breakAfter = 50_000;
  // A sample that breaks off still is a measurement.
  expect((await prepare(lab)).failed).toMatchObject({ code: 'download_failed', where: 'anna' });
  web.breakAfter = undefined;
  web.sent = 0;
  expect((await prepare(lab)).failed).toBeUndefined();
  const whole = web.asked.filter(({ path }) => path === 'pets.tar');
  expect(whole.at(-1)?.from).toBe(50_000);
  expect(web.sent).toBe(sample + total - 50_000);
});

test.skipIf(!canBeMachines)(
  'two machines with one home download an archive once, and both have it',
  async () => {
    const web = await server();
    // Longer than the two starts are apart.
    web.waitMs = 1000;
    const lab = labWith([`${web.url}/pets.tar`]);
    const both = await Promise.all(['anna', 'berta'].map((name) => prepare(lab, {}, machine(name))));
    expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
    const [data = ''] = new Set(both.map(({ work }) => work.data));
    execFileSync('diff', ['-r', '-x', '.ringlab-url', join(folder, 'pets'), data]);
    expect(readdirSync(join(data, '..'))).toEqual([basename(data)]);
    expect(web.asked.filter(({ path }) => path === 'pets.tar')).toHaveLength(1);
  },
);

test('fault 37: addresses that fail or return something else are reported, and the next one is used', async () => {
  const [gone, wrong, good] = [await server(), await server(), await server()];
  gone.spoil = () => undefined;
  wrong.spoil = (_, bytes) => Buffer.concat([bytes.subarray(1), Buffer.from('x')]);
  good.waitMs = 300;
  const { failed, step } = await prepare(labWith([gone, good, wrong].map(({ url }) => `${url}/pets.tar`)));
  expect(failed).toBeUndefined();
  const log = linesIn(step.log, 'en');
  expect(log).toContain(`${gone.url}/pets.tar: answers 404`);
  expect(log).toMatch(new RegExp(`${wrong.url}/pets.tar arrived damaged\\. .*the next address`));
});

test('a hash that no address matches is refused, and nothing is left under the folder’s name', async () => {
  const web = await server();
  const { failed, work, shell } = await prepare(labWith([`${web.url}/pets.tar`], '0'.repeat(64)));
  expect(failed).toMatchObject({ code: 'hash_mismatch', where: 'anna' });
  expect(work.data).toBeUndefined();
  expect(execFileSync('find', [await shell.home(), '-name', 'pets*'], { encoding: 'utf8' })).toBe('');
});

test('fault 23: free space is checked before any download', async () => {
  const web = await server();
  const df =
    '#!/bin/sh\necho "Filesystem 1024-blocks Used Available Capacity Mounted"; echo "/dev/sda 100 90 10 90% /"\n';
  const { failed } = await prepare(labWith([`${web.url}/pets.tar`]), { df });
  expect(failed).toMatchObject({ code: 'node_disk_full', params: { free: 10_240 } });
  expect(web.asked.filter(({ path, from }) => path === 'pets.tar' && from > 0)).toEqual([]);
});

test('what an interrupted unpacking has left needs no space again', async () => {
  const web = await server();
  const lab = labWith([`${web.url}/pets.tar`]);
  const killed = '#!/bin/sh\nhead -c 100000 /dev/zero > torn; kill -9 $PPID\n';
  expect((await prepare(lab, { tar: killed })).failed).toMatchObject({ code: 'command_failed' });
  rmSync(join(folder, 'programs', 'tar'));
  const data = join(folder, 'home', '.ringlab', 'data');
  expect(readdirSync(data).filter((name) => name.startsWith('pets-'))).toHaveLength(2);
  // 1.5 times the archive, once what is torn has gone: the archive is there, and its content needs 1.0 times that.
  const size = readFileSync(join(folder, 'web', 'pets.tar')).length;
  const free = Math.ceil((size * 1.5 - 100_000) / 1024);
  const df = `#!/bin/sh\necho "Filesystem 1024-blocks Used Available Capacity Mounted"; echo "/dev/sda 1000 100 ${free} 90% /"\n`;
  const { failed, work } = await prepare(lab, { df });
  expect(failed).toBeUndefined();
  execFileSync('diff', ['-r', '-x', '.ringlab-url', join(folder, 'pets'), work.data!]);
});

test('a zip is also unpacked', async () => {
  execFileSync('python3', ['-m', 'zipfile', '-c', join(folder, 'web', 'pets.zip'), 'pets/'], { cwd: folder });
  const web = await server();
  const { failed, step } = await prepare(
    labWith([`${web.url}/pets.zip`], hashOf(join(folder, 'web', 'pets.zip'))),
  );
  expect(failed).toBeUndefined();
  expect(step.summary.en).toContain('2 classes');
});

test.each(['unzip', 'python3'])('a zip of Windows, with backslashes between folders, by %s', (tool) => {
  const archive = join(folder, 'windows.zip');
  const make = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1], "w")
for name in "train", "val":
    entry = zipfile.ZipInfo("pets\\\\" + name + "\\\\cat\\\\1.jpg")
    entry.create_system = 0
    archive.writestr(entry, name)`;
  execFileSync('python3', ['-c', make, archive]);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of readdirSync('/usr/bin'))
    if (tool === 'unzip' || name !== 'unzip') symlinkSync(join('/usr/bin', name), join(bin, name));
  const to = join(folder, 'unpacked');
  const { command } = unpacking(archive, to, hashOf(archive));
  execFileSync('sh', ['-c', command], { env: { PATH: bin, HOME: folder }, stdio: 'pipe' });
  expect(readFileSync(join(to, 'train', 'cat', '1.jpg'), 'utf8')).toBe('train');
  expect(readdirSync(to).filter((name) => !name.startsWith('.'))).toEqual(['train', 'val']);
});

test('a zip of which unzip leaves something out is refused', () => {
  const archive = join(folder, 'pets.zip');
  execFileSync('python3', ['-m', 'zipfile', '-c', archive, 'pets/train/cat/'], { cwd: folder });
  const skips =
    '#!/bin/sh\necho "skipping: train/cat/1.jpg  unsupported compression method 99" >&2; exit 1\n';
  const path = `${programsOnly(join(folder, 'bin'), { unzip: skips })}:${process.env.PATH ?? ''}`;
  const { command } = unpacking(archive, join(folder, 'unpacked'), hashOf(archive));
  expect(() =>
    execFileSync('sh', ['-c', command], { env: { PATH: path, HOME: folder }, stdio: 'pipe' }),
  ).toThrow('unsupported compression method 99');
  expect(existsSync(join(folder, 'unpacked'))).toBe(false);
});

test.each([
  ['hidden files beside its folder', 'tar', ['._pets', '.DS_Store', '.gitattributes'], 'pets.tar'],
  ['what macOS adds to a zip', 'zip', ['__MACOSX/', 'pets/._train'], 'pets.zip'],
  ['a zip at an address without its name', 'zip', [], 'content'],
])('an archive is unpacked without its top folder: %s', async (_, kind, more, name) => {
  for (const path of more) {
    if (path.endsWith('/')) mkdirSync(join(folder, path));
    writeFileSync(join(folder, path.endsWith('/') ? `${path}._pets` : path), 'x');
  }
  const archive = join(folder, 'web', name);
  const tops = ['pets', ...more.filter((path) => !path.startsWith('pets/'))];
  if (kind === 'tar') execFileSync('tar', ['-cf', archive, '-C', folder, ...tops]);
  else execFileSync('python3', ['-m', 'zipfile', '-c', archive, ...tops], { cwd: folder });
  const web = await server();
  const { failed, step, work } = await prepare(labWith([`${web.url}/${name}`], hashOf(archive)));
  expect(failed).toBeUndefined();
  expect(step.summary.en).toContain('2 classes');
  execFileSync('diff', ['-r', '-x', '.ringlab-url', join(folder, 'pets'), work.data!]);
  // Nothing else is left.
  expect(readdirSync(join(work.data!, '..'))).toEqual([basename(work.data!)]);
});

test('what macOS’s tar puts beside each file is no image; a file of the user with such a name stays', async () => {
  const cats = join(folder, 'pets', 'train', 'cat');
  writeFileSync(join(cats, '._mine.jpg'), 'x');
  const intended = readdirSync(cats);
  const beside = Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00]);
  for (const path of ['._cat', 'cat/._1.jpg', 'cat/._a b\n.jpg'])
    writeFileSync(join(folder, 'pets', 'train', path), beside);
  const archive = join(folder, 'web', 'pets.tar');
  execFileSync('tar', ['-cf', archive, '-C', folder, 'pets']);
  const web = await server();
  const { failed, work } = await prepare(labWith([`${web.url}/pets.tar`], hashOf(archive)));
  expect(failed).toBeUndefined();
  expect(readdirSync(join(work.data!, 'train', 'cat'))).toEqual(intended);
  expect(readdirSync(join(work.data!, 'train'))).toEqual(['cat', '狗']);
});

test('an archive of read-only folders is unpacked, also where an earlier try left some', async () => {
  const archive = join(folder, 'web', 'pets.tar');
  execFileSync('tar', ['-cf', archive, '--mode=a-w', '-C', folder, 'pets']);
  const hash = hashOf(archive);
  const left = join(folder, 'home', '.ringlab', 'data', `pets-${hash.slice(0, 16)}.unpacking`, 'pets');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'stale.jpg'), 'x');
  chmodSync(left, 0o555);
  // Such folders do not stop root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', '65534:65534', folder]);
  const through = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const web = await server();
  const { failed, work } = await prepare(labWith([`${web.url}/pets.tar`], hash), {}, through);
  expect(failed).toBeUndefined();
  execFileSync('diff', ['-r', '-x', '.ringlab-url', join(folder, 'pets'), work.data!]);
  expect(readdirSync(join(work.data!, '..'))).toEqual([basename(work.data!)]);
});

test.each(['rm', 'mkdir'])('where %s fails, nothing is unpacked or removed elsewhere', async (program) => {
  const home = join(folder, 'home');
  mkdirSync(home);
  for (const name of ['.DS_Store', '._notes', 'mine.jpg']) writeFileSync(join(home, name), 'mine');
  const mine = readdirSync(home);
  const web = await server();
  const failing = `#!/bin/sh\ncase "$*" in *.unpacking*) echo "${program}: fails" >&2; exit 1;; esac\nPATH=\${PATH#*:} exec ${program} "$@"\n`;
  const { failed } = await prepare(labWith([`${web.url}/pets.tar`]), { [program]: failing });
  expect(readdirSync(home).filter((name) => name !== '.ringlab')).toEqual(mine);
  expect(failed).toMatchObject({ code: 'command_failed' });
});
