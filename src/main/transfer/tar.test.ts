import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tarBytes, type TarEntry } from './tar.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-tar-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('system tar unpacks every written name and byte, and equal input gives equal bytes', async () => {
  writeFileSync(join(folder, 'from-disk'), Buffer.alloc(200_001, 7));
  const names = [
    'short.txt',
    'space and "quote".txt',
    'mängd/图片/🐈.jpg',
    `${'deep/'.repeat(30)}leaf.cpp`,
    `${'n'.repeat(180)}/${'m'.repeat(150)}`,
    'line\nbreak',
  ];
  const entries: TarEntry[] = names.map((path, index) => ({
    path,
    mode: index === 0 ? 0o755 : 0o644,
    content: { bytes: Buffer.from(`content of ${index}`) },
  }));
  entries.push({ path: 'big', content: { file: join(folder, 'from-disk'), size: 200_001 } });
  const bytes = await tarBytes(entries);
  expect(Buffer.compare(bytes, await tarBytes(entries))).toBe(0);
  execFileSync('mkdir', [join(folder, 'out')]);
  execFileSync('tar', ['-x', '-f', '-', '-C', join(folder, 'out')], { input: bytes });
  names.forEach((name, index) =>
    expect(readFileSync(join(folder, 'out', name), 'utf8')).toBe(`content of ${index}`),
  );
  expect(readFileSync(join(folder, 'out', 'big')).equals(Buffer.alloc(200_001, 7))).toBe(true);
  execFileSync('test', ['-x', join(folder, 'out', 'short.txt')]);
});

test('a file that became shorter is refused instead of corrupting the archive', async () => {
  writeFileSync(join(folder, 'shrunk'), 'abc');
  const entry = { path: 'shrunk', content: { file: join(folder, 'shrunk'), size: 10 } };
  await expect(tarBytes([entry])).rejects.toMatchObject({
    code: 'file_unreadable',
    where: entry.content.file,
  });
});
