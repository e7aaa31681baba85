import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from './command.mjs';
import {
  buildNative,
  buildRemedy,
  compilers,
  errorsOf,
  noteGlibc,
  oldLibtorch,
  usableMemory,
} from './native.mjs';

vi.mock('./command.mjs', async (original) => {
  const command = await original();
  return { ...command, runCommand: vi.fn(command.runCommand) };
});

const gigabyte = 1024 ** 3;

const { runCommand: runIt } = await vi.importActual('./command.mjs');
afterEach(() => {
  runCommand.mockImplementation(runIt);
  vi.unstubAllEnvs();
});

describe('compilers at once', () => {
  it.each([
    [2, 24 * gigabyte, 2],
    [16, 8 * gigabyte, 5],
    [8, gigabyte, 1],
  ])('%i cores, %i bytes of memory: %i', (cores, memory, count) => {
    expect(compilers(cores, memory)).toBe(count);
  });

  it('fit into a container’s memory, where it has a limit', () => {
    const machine = 64 * gigabyte;
    expect(compilers(16, usableMemory(machine, 4 * gigabyte))).toBe(2);
    // Without one: Windows, Linux's two kinds of control groups, and an older Node.
    for (const none of [0, 2 ** 63 - 4096, 2 ** 64, undefined])
      expect(usableMemory(machine, none)).toBe(machine);
  });
});

describe('a build that fails', () => {
  it('reports the remedy', () => {
    expect(buildRemedy('c++: fatal error: Killed signal terminated program cc1plus')).toContain('memory');
    expect(buildRemedy('error: No space left on device')).toContain('disk is full');
    expect(buildRemedy('fatal error: jpeglib.h: No such file or directory')).toContain('header');
    expect(buildRemedy('error: expected ;')).toContain('mend native/');
  });

  it('says so in English, whatever the user’s language: the remedy depends on its words', async () => {
    const ran = new Map();
    runCommand.mockImplementation((program, args, { env } = {}) => {
      ran.set(program, env);
      return Promise.resolve(
        program === 'ninja' && args[0] === '-C'
          ? { code: 1, output: 'FAILED: x\nc++: fatal error: Killed signal terminated program cc1plus' }
          : { code: 0, output: '' },
      );
    });
    vi.stubEnv('LC_ALL', 'zh_CN.UTF-8');
    vi.stubEnv('LANGUAGE', 'zh_CN');
    const step = (_, work) => work({ say: () => undefined, now: () => undefined });
    const build = { folder: join(tmpdir(), 'ringlab-never-built'), options: [], name: 'never-built' };
    await expect(buildNative({ step }, build)).rejects.toMatchObject({
      remedy: expect.stringContaining('memory'),
    });
    for (const program of ['cmake', 'ninja']) {
      expect(ran.get(program)).toMatchObject({
        LC_CTYPE: 'zh_CN.UTF-8',
        LC_MESSAGES: 'C',
        PATH: process.env.PATH,
      });
      expect(ran.get(program)).not.toHaveProperty('LC_ALL');
    }
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
