import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildRemedy, compilers, errorsOf, noteGlibc, oldLibtorch } from './native.mjs';

const gigabyte = 1024 ** 3;

describe('compilers at once', () => {
  it.each([
    [2, 24 * gigabyte, 2],
    [16, 8 * gigabyte, 5],
    [8, gigabyte, 1],
  ])('%i cores, %i bytes of memory: %i', (cores, memory, count) => {
    expect(compilers(cores, memory)).toBe(count);
  });
});

describe('a build that fails', () => {
  it('reports the remedy', () => {
    expect(buildRemedy('c++: fatal error: Killed signal terminated program cc1plus')).toContain('memory');
    expect(buildRemedy('error: No space left on device')).toContain('disk is full');
    expect(buildRemedy('fatal error: jpeglib.h: No such file or directory')).toContain('header');
    expect(buildRemedy('error: expected ;')).toContain('mend native/');
  });

  it('shows the failing command’s output, not that of earlier ones', () => {
    const output = [
      '[1/9] one',
      '[2/9] two',
      'FAILED: three.o',
      'three.cpp:1:1: error: x',
      'ninja: build stopped',
    ].join('\n');
    expect(errorsOf(output)).toBe('FAILED: three.o\nthree.cpp:1:1: error: x\nninja: build stopped');
  });
});

describe('a libtorch that is too old', () => {
  it.each([
    ['libtorch-dev ii  1.8.1-5build1', '1.8.1'],
    ['cmake ii  3.25.1-1\nlibtorch-dev ii  1.7.1-7\n', '1.7.1'],
    ['libtorch-dev hi  1.8.1-5build1', '1.8.1'],
    ['libtorch-dev ii  1.13.1+dfsg-4', undefined],
    ['libtorch-dev ii  2.6.0+dfsg-7', undefined],
    ['libtorch-dev rc  1.7.1-7', undefined],
    ['', undefined],
  ])('%s', (listing, version) => {
    expect(oldLibtorch(listing)).toBe(version);
  });
});

describe('the note of the C library that a trainer was built with', () => {
  it.skipIf(process.platform !== 'linux')('lies beside the trainer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-built-'));
    try {
      await noteGlibc(folder);
      const noted = readFileSync(join(folder, 'ringlab-train.glibc'), 'utf8');
      const here = execFileSync('getconf', ['GNU_LIBC_VERSION'], { encoding: 'utf8' });
      expect(here).toBe(`glibc ${noted}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
