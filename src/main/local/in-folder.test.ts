import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalShell } from '../ssh/testing/local-shell.ts';
import { inFolder } from './in-folder.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ringlab-in-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a login node with another folder in place of its home', () => {
  it('runs commands and keeps files there, and makes it', async () => {
    mkdirSync(join(folder, 'home'));
    const scratch = join(folder, "scratch/anna's");
    const login = createLocalShell({ home: join(folder, 'home') });
    const session = inFolder(login, scratch);
    expect(await session.home()).toBe(scratch);
    expect(await session.run('printf "%s %s %s" "$HOME" ~ "$PWD"')).toBe(`${scratch} ${scratch} ${scratch}`);
    await session.upload({ bytes: Buffer.from('x') }, '~/.ringlab/a');
    expect(readFileSync(join(scratch, '.ringlab/a'), 'utf8')).toBe('x');
    expect((await session.exec('exit 7')).code).toBe(7);
    expect(inFolder(login, scratch)).toBe(session);
    expect(inFolder(login, join(folder, 'other'))).not.toBe(session);
  });
  it('runs nothing in a folder that cannot be made', async () => {
    const session = inFolder(createLocalShell({ home: folder }), '/proc/none');
    expect(await session.exec('echo ran')).toMatchObject({ code: 1, stdout: '' });
  });
  it.skipIf(process.getuid?.() !== 0)('runs nothing in another user’s folder', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    chownSync(other, 65_534, 65_534);
    const result = await inFolder(createLocalShell({ home: folder }), other).exec('echo ran');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('is not a folder of root');
  });
});
