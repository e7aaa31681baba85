import { describe, expect, it } from 'vitest';
import { buildRemedy, compilers, errorsOf } from './native.mjs';

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
