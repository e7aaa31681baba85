import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { deliverFile, type Deliverer } from './deliver-file.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'ringlab-deliver-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const base64 = Buffer.from('<svg/>').toString('base64');
const host = (deliver: Deliverer['deliver']): Deliverer => ({ paths: { data }, deliver });
const left = (): Promise<string[]> => readdir(join(data, 'exports'));

describe('a file that the window saves', () => {
  it('stays until a browser has fetched it, and goes where the host has copied it', async () => {
    const kept: string[] = [];
    const offer: Deliverer['deliver'] = async ({ path, name }) => {
      kept.push(await readFile(path, 'utf8'));
      return { name, bytes: 6, url: '/download/1' };
    };
    expect(await deliverFile(host(offer), '../chart.svg', base64)).toMatchObject({ name: 'chart.svg' });
    expect(kept).toEqual(['<svg/>']);
    expect(await left()).toHaveLength(1);
    const copy: Deliverer['deliver'] = ({ name }) =>
      Promise.resolve({ name, bytes: 6, savedTo: '/home/me/chart.svg' });
    await deliverFile(host(copy), 'chart.svg', base64);
    expect(await left()).toHaveLength(1);
  });

  it('is not left where its dialog was closed', async () => {
    const closed = host(() => Promise.reject(new RinglabError('cancelled')));
    await expect(deliverFile(closed, 'chart.svg', base64)).rejects.toMatchObject({ code: 'cancelled' });
    expect(await left()).toEqual([]);
  });

  const never = (): never => {
    throw new Error('there is nothing to deliver');
  };
  it.each([
    ['ENOSPC', 'local_disk_full'],
    ['EDQUOT', 'local_disk_full'],
    ['EIO', 'file_unwritable'],
  ])('fault 24: is not left torn on the disk: %s is %s', async (code, expected) => {
    const write = async (path: string): Promise<void> => {
      await writeFile(path, '<sv');
      throw Object.assign(new Error(`${code}: write`), { code });
    };
    await expect(deliverFile(host(never), 'chart.svg', base64, write)).rejects.toMatchObject({
      code: expected,
    });
    expect(await left()).toEqual([]);
  });

  it('is refused with the reason where the data folder cannot be written', async () => {
    await writeFile(join(data, 'exports'), '');
    await expect(deliverFile(host(never), 'chart.svg', base64)).rejects.toMatchObject({
      code: 'file_unwritable',
    });
    expect(existsSync(join(data, 'exports'))).toBe(true);
  });
});
