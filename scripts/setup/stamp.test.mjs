import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStamp, hashOf } from './stamp.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-stamp-'));
  mkdirSync(join(folder, 'src', 'build-old'), { recursive: true });
  writeFileSync(join(folder, 'src', 'a.ts'), 'one');
  writeFileSync(join(folder, 'lock.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hash = (options = {}) => hashOf(['src', 'lock.json', 'missing'], { base: folder, ...options });

describe('the hash of sources', () => {
  it('changes with a content, a name, a new file and a word, and with nothing else', () => {
    const before = hash();
    expect(hash()).toBe(before);
    writeFileSync(join(folder, 'src', 'a.ts'), 'two');
    const changed = hash();
    expect(changed).not.toBe(before);
    renameSync(join(folder, 'src', 'a.ts'), join(folder, 'src', 'b.ts'));
    const renamed = hash();
    expect(renamed).not.toBe(changed);
    writeFileSync(join(folder, 'src', 'c.ts'), '');
    expect(hash()).not.toBe(renamed);
    expect(hash({ words: ['gcc 12'] })).not.toBe(hash({ words: ['gcc 13'] }));
  });

  it('omits build folders and the given exclusions', () => {
    const before = hash();
    writeFileSync(join(folder, 'src', 'build-old', 'object.o'), 'x');
    writeFileSync(join(folder, 'src', 'a.test.ts'), 'x');
    expect(hash({ skip: (path) => path === 'src/a.test.ts' })).toBe(before);
  });
});

describe('a stamp', () => {
  it('is valid for its hash while the results exist', () => {
    const result = join(folder, 'result');
    const stamp = createStamp('thing', [result], join(folder, 'stamps'));
    expect(stamp.holds('1')).toBe(false);
    stamp.write('1');
    expect(stamp.holds('1')).toBe(false);
    writeFileSync(result, '');
    expect(stamp.holds('1')).toBe(true);
    expect(stamp.holds('2')).toBe(false);
    rmSync(result);
    expect(stamp.holds('1')).toBe(false);
  });
});
