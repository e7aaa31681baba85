/** Finding 9: a node whose files are longer than announced, over SSH, and one that relays more than was requested. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SshSession } from '../ssh/index.ts';
import { person, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { readFolder, relayFolder, sendFolder, type FolderManifest } from '../transfer/index.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../ssh/testing/local-shell.ts';
import { endless, startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';

const mib = 1024 ** 2;
const max = 4 * mib;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-node-downloads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes of all that lies below a folder. */
const bytesIn = (path: string): number =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

/** Says of each file that is looked at what `words` gives, once for each look. */
const saying = (words: (look: number) => string): NonNullable<HostileManner['command']> =>
  (() => {
    let looks = 0;
    return (call) => {
      if (!call.script.includes('echo "size')) return false;
      call.begin();
      call.channel.write(words((looks += 1)));
      call.end();
      return true;
    };
  })();
const ok = 0;
/** Answers each read with `content`, however much was asked for. */
const reading =
  (content: (length: number, offset: number) => Buffer): NonNullable<HostileManner['sftp']> =>
  (sftp: SFTPWrapper) => {
    sftp.on('error', () => undefined);
    sftp.on('OPEN', (id) => {
      sftp.handle(id, Buffer.from('file'));
    });
    sftp.on('READ', (id, _handle, offset, length) => {
      sftp.data(id, content(length, offset));
    });
    sftp.on('CLOSE', (id) => {
      sftp.status(id, ok);
    });
  };

describe('finding 9: a download over SSH', () => {
  let pool: TestPool;
  let node: HostileNode | undefined;
  beforeEach(async () => {
    pool = await testPool({ person: person(() => ({ kind: 'secret', secret: 'open', remember: false })) });
  });
  afterEach(async () => {
    await pool.close();
    await node?.stop();
    node = undefined;
  });
  const meet = async (manner: HostileManner): Promise<SshSession> => {
    node = await startHostileNode(manner, 'mallory');
    return await pool.pool.session(node.target);
  };
  const fetched = (session: SshSession): Promise<unknown> =>
    session.download('/run/model_best.pth.tar', join(folder, 'model'), { max });

  it.each([
    ['1 EB', String(10 ** 18)],
    ['one byte more than there may be', String(max + 1)],
    ['more than a number holds', '9'.repeat(400)],
  ])('finding 9: of %s is not started', async (_what, size) => {
    let reads = 0;
    const session = await meet({
      command: saying(() => `size ${size}\nsha ${'a'.repeat(64)}\n`),
      sftp: reading((length) => {
        reads += 1;
        return Buffer.alloc(length);
      }),
    });
    await expect(fetched(session)).rejects.toMatchObject({ code: 'download_too_large', where: 'mallory' });
    expect(reads).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('finding 9: of a small file ends if SFTP returns more than requested, and names the node', async () => {
    const session = await meet({
      command: saying(() => `size 100\nsha ${'a'.repeat(64)}\n`),
      sftp: reading((length) => Buffer.alloc(length + 200_000, 'x')),
    });
    await expect(fetched(session)).rejects.toMatchObject({ where: 'mallory' });
    expect(bytesIn(folder)).toBeLessThanOrEqual(100);
  });

  it('finding 9: of a small file without SFTP takes the announced bytes only, even if output is endless', async () => {
    let cut = false;
    const announced = saying(() => `size 100\nsha ${'a'.repeat(64)}\n`);
    const session = await meet({
      command: (call) => {
        // It is hung up on: by the channel, or by a signal where that does not help.
        if (call.script.includes('kill -HUP')) cut = true;
        if (!call.script.startsWith('tail -c')) return announced(call);
        call.begin();
        call.channel.once('close', () => (cut = true));
        endless(call.channel, Buffer.alloc(30_000, 'x'));
        return true;
      },
    });
    await expect(fetched(session)).rejects.toMatchObject({ code: 'hash_mismatch', where: 'mallory' });
    await expect.poll(() => cut).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('finding 9: of a file that keeps growing ends at the maximum', async () => {
    const session = await meet({
      command: saying((look) => `size ${mib * 4 ** (look - 1)}\nsha ${String(look).repeat(64)}\n`),
      sftp: reading((length) => Buffer.alloc(length, 'x')),
    });
    await expect(fetched(session)).rejects.toMatchObject({ code: 'download_too_large', where: 'mallory' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('finding 9: that breaks off each time with another hash leaves one partial file, not one per attempt', async () => {
    const session = await meet({
      command: saying((look) => `size ${max}\nsha ${look.toString(16).padStart(64, '0')}\n`),
      sftp: reading((length, offset) => (offset < mib ? Buffer.alloc(length, 'x') : Buffer.alloc(0))),
    });
    for (let tries = 0; tries < 3; tries += 1)
      await expect(fetched(session)).rejects.toMatchObject({ where: 'mallory' });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(bytesIn(folder)).toBeLessThanOrEqual(max);
  });
});

describe('finding 9: a folder that is relayed from node to node', () => {
  let manifest: FolderManifest;
  let source = '';
  const homeOf = (name: string): string => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  beforeEach(async () => {
    const local = join(folder, 'local', 'train');
    mkdirSync(local, { recursive: true });
    for (let index = 0; index < 20; index += 1)
      writeFileSync(join(local, `${index}.jpg`), Buffer.alloc(50_000, index));
    manifest = await readFolder(join(folder, 'local'), { parts: ['train'] });
    source = join(homeOf('giver'), 'pets-1');
    await sendFolder(createLocalShell({ home: homeOf('giver') }), manifest, source, { who: 'n0' });
  });
  /** The giver's tar is a program of its own. */
  const giverWith = (tar: string): LocalShell =>
    createLocalShell({
      home: homeOf('giver'),
      name: 'mallory',
      path: `${programsOnly(join(folder, 'bin'), { tar })}:${process.env.PATH ?? ''}`,
    });
  const relayed = (
    giver: LocalShell,
    taker: LocalShell = createLocalShell({ home: homeOf('taker') }),
  ): Promise<unknown> =>
    relayFolder(
      giver,
      taker,
      manifest,
      { source, target: join(homeOf('taker'), 'pets-1'), addresses: ['127.0.0.1'] },
      { who: 'n1' },
    );
  /** The files that the taker has of an incomplete data set, without its notes. */
  const kept = (): string[] => {
    const incoming = join(homeOf('taker'), '.incoming-pets-1-n1');
    return readdirSync(incoming, { withFileTypes: true, recursive: true })
      .filter((entry) => !entry.name.startsWith('.ringlab-') && !entry.isDirectory())
      .map((entry) => relative(incoming, join(entry.parentPath, entry.name)));
  };
  const real = '/bin/tar';
  /** The list of files comes as it is: the data are what is attacked. */
  const honestAboutTheList = (attack: string): string => `#!/bin/sh
list=$(mktemp) && cat >"$list"
if grep -q ringlab-manifest "$list"; then ${real} "$@" <"$list"; rm -f "$list"; exit; fi
rm -f "$list"
${attack}
`;

  it('finding 9: from a node that sends endlessly is cut off by the receiving node, and only what is verified is kept', async () => {
    // One whole file after the other, without the end mark of an archive. The cut may lie within the one that is repeated.
    const member = (index: number): string => join(folder, `member${index}`);
    const written = [0, 1].map(
      (index) => `${real} -C ${source} -cf - train/${index}.jpg | head -c 50688 >${member(index)}`,
    );
    const attack = `${written.join(';')}; cat ${member(0)}; while cat ${member(1)}; do :; done`;
    const giver = giverWith(honestAboutTheList(attack));
    await expect(relayed(giver)).rejects.toMatchObject({
      code: 'transfer_failed',
      where: 'mallory',
      params: { reason: 'the other node sends more than it was asked for' },
    });
    expect(kept().filter((path) => path !== 'train/1.jpg')).toEqual(['train/0.jpg']);
  });

  it('finding 9: with unrequested files is cut off, too', async () => {
    const extra = join(folder, 'extra');
    mkdirSync(extra);
    for (let index = 0; index < 40; index += 1)
      writeFileSync(join(extra, `${index}`), Buffer.alloc(60_000, 1));
    await expect(relayed(giverWith(honestAboutTheList(`${real} -C ${extra} -cf - .`)))).rejects.toMatchObject(
      {
        where: 'mallory',
        params: { reason: 'the other node sends more than it was asked for' },
      },
    );
    expect(kept()).toEqual([]);
  });

  it('finding 9: with a sparse file of 1 TB is refused by its length', async () => {
    const hole = join(folder, 'hole', 'train');
    mkdirSync(hole, { recursive: true });
    const attack = `truncate -s 1T ${join(hole, '0.jpg')}; ${real} -C ${join(folder, 'hole')} -Scf - train/0.jpg`;
    await expect(relayed(giverWith(honestAboutTheList(attack)))).rejects.toMatchObject({
      where: 'mallory',
      params: { reason: 'the other node sends more than it was asked for' },
    });
    expect(kept()).toEqual([]);
  });

  /** Other content under the names of the data set, and lists that fit it or pass it off as verified. */
  const poisoned = (): string => {
    const evil = join(folder, 'evil');
    mkdirSync(join(evil, 'train'), { recursive: true });
    const lines = manifest.files.map(({ path }) => {
      const content = `other ${path}`;
      writeFileSync(join(evil, path), content);
      return `${createHash('sha256').update(content).digest('hex')}  ${path}\n`;
    });
    writeFileSync(join(evil, '.ringlab-manifest'), lines.join(''));
    writeFileSync(join(evil, '.ringlab-have'), readFileSync(join(source, '.ringlab-manifest')));
    return evil;
  };

  it('with a list of its own is refused, and no file of it is kept', async () => {
    const giver = giverWith(
      honestAboutTheList(`${real} -C ${poisoned()} -cf - .ringlab-manifest .ringlab-have train`),
    );
    await expect(relayed(giver)).rejects.toMatchObject({ code: 'hash_mismatch' });
    expect(kept()).toEqual([]);
  });

  it('that breaks off after other files and a list of verified ones is sent again by this computer', async () => {
    // A member in place of the end mark, that no tar can read.
    const broken = `${real} -C ${poisoned()} -cf - .ringlab-have train | head -c 23552; head -c 512 /dev/urandom`;
    await expect(relayed(giverWith(honestAboutTheList(broken)))).rejects.toMatchObject({
      code: 'transfer_failed',
    });
    const taker = createLocalShell({ home: homeOf('taker') });
    const target = join(homeOf('taker'), 'pets-1');
    await sendFolder(taker, manifest, target, { who: 'n1' });
    for (const { path } of manifest.files)
      expect(readFileSync(join(target, path))).toEqual(readFileSync(join(source, path)));
  });

  /** A tar that gives all files but one, and more; without its end mark, but with a member that no tar can read, where it breaks off. */
  const withMore = (more: readonly string[], breaksOff: boolean): string => {
    const evil = join(folder, 'more');
    for (const path of more) {
      mkdirSync(dirname(join(evil, path)), { recursive: true });
      writeFileSync(join(evil, path), 'more');
    }
    const archive = join(folder, 'archive');
    const given = manifest.files.map(({ path }) => path).filter((path) => path !== 'train/3.jpg');
    const from = ['-C', source, ...given, '-C', evil, ...more];
    execFileSync(real, ['-b', '1', '-cf', archive, ...from]);
    if (breaksOff) truncateSync(archive, statSync(archive).size - 1024);
    return honestAboutTheList(`cat ${archive}${breaksOff ? '; head -c 512 /dev/urandom' : ''}`);
  };

  it.each([
    ['files too many', ['train/more.jpg', 'train/a b\\c\nd.jpg', 'train/sub/more.jpg', 'other'], false],
    [
      'files too many, and breaks off,',
      ['train/more.jpg', 'train/a b\\c\nd.jpg', 'train/sub/more.jpg'],
      true,
    ],
    ['a folder in place of a file, and breaks off,', ['train/3.jpg/more.jpg'], true],
  ])('with %s costs no other file and no later attempt', async (_, more, breaksOff) => {
    await expect(relayed(giverWith(withMore(more, breaksOff)))).rejects.toMatchObject({
      code: breaksOff ? 'transfer_failed' : 'hash_mismatch',
    });
    const target = join(homeOf('taker'), 'pets-1');
    const taker = createLocalShell({ home: homeOf('taker') });
    expect(await sendFolder(taker, manifest, target, { who: 'n1' })).toEqual({ sent: 50_000 });
    execFileSync('diff', ['-r', source, target]);
  });

  it('with all files and one too many is of use: what is not on the list goes', async () => {
    writeFileSync(join(poisoned(), 'train', 'more.jpg'), 'more');
    const more = `cd ${source} && ${real} -cf - train -C ${join(folder, 'evil')} train/more.jpg`;
    await relayed(giverWith(honestAboutTheList(more)));
    execFileSync('diff', ['-r', source, join(homeOf('taker'), 'pets-1')]);
  });

  it.each(['shut', '.'])('with the folder %s that nobody may enter breaks no later attempt', async (name) => {
    // For root every folder is open.
    const through =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    chmodSync(folder, 0o755);
    chmodSync(homeOf('taker'), 0o777);
    const taker = createLocalShell({ home: homeOf('taker'), through });
    const [shut, archive] = [join(folder, 'shut'), join(folder, 'archive')];
    mkdirSync(join(shut, 'shut'), { recursive: true });
    execFileSync(real, ['-b', '1', '-cf', archive, '-C', source, 'train/0.jpg']);
    truncateSync(archive, statSync(archive).size - 1024);
    const attack = `cat ${archive}; ${real} -C ${shut} --mode=a= --no-recursion -cf - ${name} | head -c 512; head -c 512 /dev/urandom`;
    await expect(relayed(giverWith(honestAboutTheList(attack)), taker)).rejects.toMatchObject({
      code: 'transfer_failed',
    });
    const target = join(homeOf('taker'), 'pets-1');
    expect(await sendFolder(taker, manifest, target, { who: 'n1' })).toEqual({ sent: 950_000 });
    execFileSync('diff', ['-r', source, target]);
  });

  it('with a link first and files behind it writes to no other folder of the node', async () => {
    const evil = poisoned();
    const outside = join(homeOf('taker'), 'outside');
    mkdirSync(outside);
    const lure = join(folder, 'lure');
    mkdirSync(lure);
    symlinkSync(outside, join(lure, 'train'));
    writeFileSync(join(lure, '.ringlab-manifest'), readFileSync(join(source, '.ringlab-manifest')));
    const tar = `#!/bin/sh
if grep -q ringlab-manifest; then ${real} -C ${lure} -cf - .ringlab-manifest train; exit; fi
${real} -C ${evil} -cf - train/0.jpg train/1.jpg
`;
    await expect(relayed(giverWith(tar))).rejects.toMatchObject({ code: 'hash_mismatch' });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('is accepted if it matches its list, with long names and empty files', async () => {
    const local = join(folder, 'local', 'train');
    for (let index = 0; index < 40; index += 1) writeFileSync(join(local, `${'n'.repeat(190)}${index}`), '');
    manifest = await readFolder(join(folder, 'local'), { parts: ['train'] });
    source = join(homeOf('giver'), 'pets-2');
    const giver = createLocalShell({ home: homeOf('giver') });
    await sendFolder(giver, manifest, source, { who: 'n0' });
    await relayed(giver);
    expect(readFileSync(join(homeOf('taker'), 'pets-1', 'train', '3.jpg'))).toEqual(Buffer.alloc(50_000, 3));
  });
});
