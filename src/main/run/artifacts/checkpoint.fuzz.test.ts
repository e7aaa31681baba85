/** Fuzzed checkpoints of a hostile node: each is accepted or refused with a reason, quickly and in little memory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { forEachCase, fuzzTimeout, type Random } from '../../../shared/testing/fuzz.ts';
import { zip, type WrittenEntry } from '../../base/testing/zip-file.ts';
import { pickleOf } from '../testing/checkpoint-file.ts';
import { mustBePlainData, verifyCheckpoint } from './verify-checkpoint.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-fuzz-checkpoint-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Opcodes that the reader supports, with arguments, and some that it does not. */
const pieces = [
  '(', 'N', '\x88', '\x89', '}', ']', ')', 't', '\x85', '\x86', '\x87', 'a', 'e', 's', 'u', 'R', 'b', 'Q', '.', '0', '2', '\x93', 'V1\n', 'I1\n',
  'J\xff\xff\xff\x7f', 'K\x07', 'M\xff\xff', '\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f', 'G\x7f\xf0\0\0\0\0\0\0', 'X\xff\xff\xff\xff', 'X\x01\0\0\0x', 'X\x01\0\0\0\xff', '\x8c\x01x',
  'q\x01', 'h\x01', 'h\x63', 'j\x01\0\0\0', 'r\xff\xff\xff\xff', 'ccollections\nOrderedDict\n', 'ctorch\nFloatStorage\n', 'ctorch._utils\n_rebuild_tensor_v2\n', 'cos\nsystem\n',
]; // prettier-ignore

function brokenPickle(random: Random): Buffer {
  const good = pickleOf().toString('latin1');
  let text = good;
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    const at = 2 + random.below(text.length - 2);
    const some = Array.from({ length: 1 + random.below(4) }, () => random.pick(pieces)).join('');
    text = text.slice(0, at) + some + text.slice(at + random.below(6));
  }
  return Buffer.from(random.chance(0.1) ? text.slice(0, random.below(text.length)) : text, 'latin1');
}

const sizes = [0, 1, 3, 4, 0x7fffffff, 0xffffffff];

function brokenFile(random: Random): Buffer {
  const pickle = random.chance(0.7) ? brokenPickle(random) : pickleOf();
  const entries: WrittenEntry[] = [
    { name: 'archive/data.pkl', bytes: pickle },
    { name: 'archive/data/0', bytes: Buffer.alloc(4) },
    { name: 'archive/version', bytes: Buffer.from('3\n') },
  ].map((entry) => ({
    ...entry,
    ...(random.chance(0.05) ? { saysBytes: random.pick(sizes) } : {}),
    ...(random.chance(0.05) ? { saysOffset: random.pick(sizes) } : {}),
    ...(random.chance(0.03)
      ? { name: random.pick(['', '/', 'archive/data.pkl', '../data.pkl', 'x'.repeat(9000)]) }
      : {}),
  }));
  const bytes = zip(entries, random.chance(0.05) ? random.pick(sizes) : undefined);
  for (let n = random.chance(0.4) ? 1 + random.below(6) : 0; n > 0; n -= 1)
    bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

it('checkpoints of a hostile node', { timeout: fuzzTimeout() }, async () => {
  const path = join(folder, 'model_best.pth.tar');
  const seen = { whole: 0, refused: 0 };
  await forEachCase('checkpoint', async (random) => {
    await writeFile(path, brokenFile(random));
    const said: unknown = await verifyCheckpoint(path).catch((error: unknown) => error);
    if (said instanceof RinglabError) {
      expect(said).toMatchObject({ code: 'file_unreadable' });
      expect(said.params.reason).not.toMatch(/undefined|NaN|\[object/);
      seen.refused += 1;
    } else {
      expect(said).not.toBeInstanceOf(Error);
      // What is valid may be opened, too.
      await mustBePlainData(path, 'model_best.pth.tar', 'N1');
      seen.whole += 1;
    }
  });
  // Both outcomes must occur.
  expect(seen.refused).toBeGreaterThan(0);
  if (seen.whole + seen.refused > 400) expect(seen.whole).toBeGreaterThan(0);
});
