import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plain } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import { examine, type Place } from './doctor.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-doctor-'))));
afterAll(() => rm(folder, { recursive: true }));

const trainerOf = async (place: Place): Promise<{ required: boolean; ok: boolean; remedy: unknown }> => {
  const paths = {
    data: folder,
    assets: folder,
    nativeSource: join(folder, 'native'),
    pythonSource: folder,
    trainerBinary: undefined,
    home: folder,
  };
  const found = (await examine(paths, place)).find(({ id }) => id === 'trainer');
  if (found === undefined) throw new Error('the trainer is not looked for');
  return found;
};

it('misses a trainer where the set-up builds one: in a checkout on Debian', async () => {
  expect(await trainerOf({ checkout: true, apt: true })).toMatchObject({
    required: true,
    ok: false,
    remedy: plain('npm run setup'),
  });
});

it.each([
  ['Windows, macOS and other Linux', { checkout: true, apt: false }],
  ['an installed package', { checkout: false, apt: true }],
])('misses nothing on %s, and says what a trainer here would be for', async (_where, place) => {
  expect(await trainerOf(place)).toMatchObject({
    required: false,
    remedy: phrase('doctor.localNodes'),
  });
});
