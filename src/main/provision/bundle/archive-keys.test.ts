/** Tests that the shipped archive keys are those that their owners publish, and that there are no others. */
import { readdirSync, readFileSync } from 'node:fs';
import { armoredBlocks, createKeyring } from './signed-release.ts';
import { join } from 'node:path';
import { readKeys } from 'openpgp';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'assets', 'archive-keys');

/** By file, the SHA-1 fingerprints that openpgp computes from the keys themselves. */
const pinned: Readonly<Record<string, readonly string[]>> = {
  'debian-12.asc': [
    'B8B80B5B623EAB6AD8775C45B7C5D7D6350947F8',
    '05AB90340C0C5E797F44A8C8254CF3B5AEC0A8F0',
    '4D64FEC119C2029067D6E791F8D2585B8783D481',
  ],
  'debian-13.asc': [
    '04B54C3CDCA79751B16BC6B5225629DF75B188BD',
    '5E04A1E3223A19A20706E20F9904613D4CCE68C6',
    '41587F7DB8C774BCCF131416762F67A0B2C39DE4',
  ],
  'ubuntu.asc': ['F6ECB3762474EDA9D21B7022871920D1991BC93C'],
  // CUDA's repositories of Debian 11 and 12 and Ubuntu up to 24.04; that of Debian 13.
  'nvidia-cuda.asc': ['EB693B3035CD5710E231E123A4B469963BF863CC', '02182E60104FCDC26EAE1B8597A5D4CB8793F200'],
};

describe('assets/archive-keys', () => {
  it('contains only these keys', async () => {
    const found: Record<string, string[]> = {};
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.asc'))) {
      const armored = readFileSync(join(folder, name), 'utf8');
      expect(armored).not.toContain('PRIVATE');
      const blocks = armoredBlocks(armored);
      const keys = (await Promise.all(blocks.map((block) => readKeys({ armoredKeys: block })))).flat();
      found[name] = keys.map((key) => key.getFingerprint().toUpperCase());
      // Usable: neither expired nor revoked, and of an algorithm that is still accepted.
      for (const key of keys) await expect(key.getSigningKey()).resolves.toBeDefined();
    }
    expect(found).toEqual(pinned);
  });

  it('accepts NVIDIA’s for its own flat archives, and a distribution’s for suites', async () => {
    const keyring = createKeyring([folder]);
    const known = async (kind: 'flat' | 'suites'): Promise<string[]> =>
      (await keyring.read(kind)).map((key) => key.getFingerprint().toUpperCase());
    const nvidia = pinned['nvidia-cuda.asc'] ?? [];
    expect(await known('flat')).toEqual(nvidia);
    const others = Object.entries(pinned).flatMap(([name, keys]) => (name === 'nvidia-cuda.asc' ? [] : keys));
    expect((await known('suites')).sort()).toEqual([...others].sort());
  });
});
