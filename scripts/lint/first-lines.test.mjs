import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { firstLineProblems, saysItsPurpose } from './first-lines.mjs';

it.each([
  ['/** Reads zip archives. */\nimport a;', true],
  ['/**\n * Reads zip archives:\n * all of them.\n */\n', true],
  ['#!/usr/bin/env node\n/** Starts the web host. */\n', true],
  ['import a;\n/** Reads zip archives. */\n', false],
  ['// Reads zip archives.\n', false],
  ['/** Zip. */\n', false],
  ['/** @param {string} text */\n', false],
  ['', false],
])('a file that begins with %j says what it is for: %s', (text, expected) => {
  expect(saysItsPurpose(text)).toBe(expected);
});

it('names the files of src, scripts, bench and e2e that do not, and leaves out tests', () => {
  const root = mkdtempSync(join(tmpdir(), 'ringlab-lines-'));
  try {
    const files = {
      'src/main/a.ts': 'export const a = 1;\n',
      'src/main/a.test.ts': "import './a.ts';\n",
      'src/renderer/B.tsx': '/** Shows what there is. */\n',
      'scripts/c.mjs': 'export {};\n',
      'bench/node_modules/d.ts': 'export {};\n',
      'e2e/e.spec.ts': '/** Opens the window once. */\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    expect(firstLineProblems(root).map((problem) => problem.split(':')[0])).toEqual([
      'src/main/a.ts',
      'scripts/c.mjs',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
