import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwn, type TestNode } from '../ssh/testing/nodes.ts';

const execute = promisify(execFile);

/** Tests our server with OpenSSH's own client. */
describe('our SFTP server with OpenSSH’s sftp', () => {
  let node: TestNode;
  const sftp = async (...commands: string[]): Promise<{ stdout: string; stderr: string; code: number }> => {
    const { port, user, authentication } = node.target;
    const keyFile = join(node.home, '..', 'login_key');
    const key = authentication.method === 'app-key' ? authentication.privateKey : '';
    await writeFile(keyFile, key, { mode: 0o600 });
    const batch = join(node.home, '..', 'batch');
    await writeFile(batch, `${commands.join('\n')}\n`);
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'IdentitiesOnly=yes',
      'LogLevel=ERROR',
    ];
    const args = ['-q', '-b', batch, '-P', String(port), '-i', keyFile, '-F', '/dev/null'];
    for (const option of options) args.push('-o', option);
    return await execute('sftp', [...args, `${user}@127.0.0.1`]).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      (error: unknown) => {
        const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
        return { stdout, stderr, code };
      },
    );
  };
  beforeAll(async () => {
    node = await startOwn();
  });
  afterAll(() => node.stop());

  it('starts in the home folder; creates, lists, renames and removes', async () => {
    const result = await sftp(
      'pwd',
      'mkdir folder',
      'cd folder',
      'mkdir 内',
      'rename 内 inner',
      'ls -1',
      'rmdir inner',
      'ls -1',
    );
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toContain(`Remote working directory: ${node.home}`);
    expect(result.stdout.match(/^inner/gm)).toHaveLength(1);
    expect(await readdir(join(node.home, 'folder'))).toEqual([]);
  });

  it('uploads and downloads files with their mode', async () => {
    const bytes = Buffer.alloc(2_500_000, 'ringlab ');
    const from = join(node.home, '..', 'from');
    const to = join(node.home, '..', 'to');
    await writeFile(from, bytes, { mode: 0o640 });
    expect(await sftp(`put -p ${from} up`, 'chmod 600 up', `get up ${to}`)).toMatchObject({ code: 0 });
    expect((await readFile(join(node.home, 'up'))).equals(bytes)).toBe(true);
    expect((await readFile(to)).equals(bytes)).toBe(true);
    expect((await stat(join(node.home, 'up'))).mode & 0o777).toBe(0o600);
  });

  it('lists folders of many files, each file once', async () => {
    await mkdir(join(node.home, 'many'));
    const names = Array.from({ length: 350 }, (_, index) => `file-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => writeFile(join(node.home, 'many', name), '')));
    await symlink('nowhere', join(node.home, 'many', 'dangling'));
    const { stdout } = await sftp('ls -1 many');
    const listed = stdout.match(/many\/\S+/g)?.map((name) => name.slice('many/'.length));
    expect(listed?.sort()).toEqual(['dangling', ...names].sort());
  });

  it('reports missing files, denied operations and names in use', async () => {
    await writeFile(join(node.home, 'a'), 'a');
    await mkdir(join(node.home, 'b'));
    expect((await sftp('get none /dev/null')).stderr).toMatch(/not found/i);
    expect((await sftp('rm b')).code).not.toBe(0);
    expect((await sftp('rmdir a')).code).not.toBe(0);
    expect((await sftp('mkdir b')).code).not.toBe(0);
    expect(await readFile(join(node.home, 'a'), 'utf8')).toBe('a');
  });

  it('creates and reads links', async () => {
    await writeFile(join(node.home, 'goal'), 'reached');
    const to = join(node.home, '..', 'through');
    expect(await sftp('ln -s goal link', `get link ${to}`)).toMatchObject({ code: 0 });
    expect(await readFile(to, 'utf8')).toBe('reached');
  });
});
