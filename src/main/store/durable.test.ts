import { describe, expect, it } from 'vitest';
import { diskError, renameOver, type Renaming } from './durable.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** @param fails how often a rename fails */
function renaming(platform: NodeJS.Platform, code: string, fails: number) {
  const tries: string[] = [];
  let waited = 0;
  const system: Renaming = {
    platform,
    rename(from, to) {
      tries.push(`${from} → ${to}`);
      return tries.length <= fails ? Promise.reject(failure(code)) : Promise.resolve();
    },
    wait(milliseconds) {
      waited += milliseconds;
      return Promise.resolve();
    },
  };
  return { system, tries, waited: () => waited };
}

describe('renaming over a file', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'on Windows is tried again where another program holds it for a moment: %s',
    async (code) => {
      const { system, tries } = renaming('win32', code, 3);
      await renameOver('a.tmp', 'a', system);
      expect(tries).toEqual(Array(4).fill('a.tmp → a'));
    },
  );

  it('is given up after a second', async () => {
    const { system, waited } = renaming('win32', 'EBUSY', Infinity);
    await expect(renameOver('a.tmp', 'a', system)).rejects.toMatchObject({ code: 'EBUSY' });
    expect(waited()).toBe(1000);
  });

  it.each([
    ['linux', 'EACCES'],
    ['win32', 'ENOSPC'],
  ] as const)('fails at once where waiting does not help: %s, %s', async (platform, code) => {
    const { system, tries } = renaming(platform, code, 1);
    await expect(renameOver('a.tmp', 'a', system)).rejects.toMatchObject({ code });
    expect(tries).toHaveLength(1);
  });
});

describe('an error of the disk', () => {
  it('says that it is full in each way in which systems and SQLite say it', () => {
    const sqlite = Object.assign(failure('ERR_SQLITE_ERROR'), { errcode: 13 });
    for (const full of [failure('ENOSPC'), failure('EDQUOT'), sqlite])
      expect(diskError(full, '/data/x')).toMatchObject({
        code: 'local_disk_full',
        params: { path: '/data/x' },
      });
    const locked = Object.assign(failure('ERR_SQLITE_ERROR'), { errcode: 14 });
    for (const other of [failure('EACCES'), locked])
      expect(diskError(other, '/data/x')).toMatchObject({ code: 'file_unwritable' });
  });
});
