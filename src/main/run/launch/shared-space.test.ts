import { describe, expect, it } from 'vitest';
import { quotaOf } from './shared-space.ts';

const gibi = 1024 ** 3;

describe('the quota of a shared home', () => {
  it.each([
    ['/lustre/a', 'a short path'],
    ['/lustre/home/groups/lab/anna', 'a path of its own line'],
  ])('is read where lfs names %s', (path) => {
    // As `lfs quota -q` writes it (lustre/utils/lfs.c).
    const line = (numbers: string): string[] =>
      (path.length > 15 ? `${path}\n${' '.repeat(15)}${numbers}` : `${path.padStart(15)}${numbers}`).split(
        '\n',
      );
    expect(quotaOf(line(' 10485760  536870912 536870912       -    7319       0       0       -'))).toEqual({
      used: 10 * gibi,
      limit: 512 * gibi,
    });
    expect(quotaOf(line(' 536870900*       0 536870912       -    7319       0       0       -'))).toEqual({
      used: 536_870_900 * 1024,
      limit: 512 * gibi,
    });
    expect(
      quotaOf(line(' 10485760       0       0       -    7319       0       0       -')),
    ).toBeUndefined();
  });
  it('is the narrowest of several', () => {
    const lines = [
      'nas:/home 1048576 2097152 3145728 0 1 0 0 0',
      '/dev/sda1 1048576* 524288 1048576 6days 1 0 0',
    ];
    expect(quotaOf(lines)).toEqual({ used: gibi, limit: gibi });
    expect(quotaOf(['', 'quota: no such thing'])).toBeUndefined();
  });
});
