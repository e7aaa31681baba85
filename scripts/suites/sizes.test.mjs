import { expect, it } from 'vitest';
import { inProject } from '../setup/project.mjs';
import { crowdedFolders } from './folders.mjs';
import { allFiles, countedLines, longFiles, longFilesOf, maxLines, programFiles } from './sizes.mjs';

const lines = (count, line) => `${line}\n`.repeat(count);
const table = (count) => `export const words = {\n${lines(count, "  a: 'b',")}} as const;\n`;

it('refuses a file above the maximum, with what to do', () => {
  const calls = (count) => new Map([['src/a.ts', lines(count, 'call();')]]);
  expect(longFiles(calls(maxLines))).toEqual([]);
  expect(longFiles(calls(maxLines + 1))).toEqual([
    'src/a.ts has 301 lines beside its tables, and the maximum is 300: divide it by subject',
  ]);
});

it('does not count tables, whose functions are expressions at most', () => {
  expect(countedLines('src/a.ts', table(500) + lines(3, 'call();'))).toBe(5);
  const schema = `const shapes = z.object({\n${lines(400, '  a: z.string().refine((text) => text.length > 1),')}});\n`;
  expect(countedLines('src/a.ts', schema)).toBe(2);
});

it('counts short objects, and those with statements', () => {
  expect(countedLines('src/a.ts', table(10))).toBe(12);
  const service = `const service = {\n${lines(100, '  run() {\n    call();\n  },')}};\n`;
  expect(countedLines('src/a.ts', service)).toBe(302);
});

it('counts every line of C++ and Python', () => {
  const cpp = `const Row rows[] = {\n${lines(400, '  {"--a", 1},')}};\n`;
  expect(countedLines('native/options/a.cpp', cpp)).toBe(402);
  expect(longFiles(new Map([['python/ringlab/a.py', lines(maxLines + 1, 'call()')]]))).toHaveLength(1);
});

it('looks at the source files of every folder, and at no tests', () => {
  const files = allFiles(inProject());
  for (const path of [
    'src/main/rpc/index.ts',
    'bench/links.ts',
    'e2e/fixtures.ts',
    'native/sync/mode.cpp',
    'native/sync/mode.h',
    'native/bench/links.py',
    'python/ringlab/wandb.py',
    'scripts/suites/sizes.mjs',
  ])
    expect(files).toContain(path);
  const tests = files.filter((path) => /(?:^|\/)tests\/|\.(?:test|spec)\.|^native\/build/.test(path));
  expect(tests).toEqual([]);
});

it('finds no violation in this repository', () => {
  expect(longFilesOf(inProject())).toEqual([]);
  expect(crowdedFolders(programFiles(inProject()))).toEqual([]);
});
