import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import { inProject } from '../setup/project.mjs';
import house from './house.mjs';
import { cyclesIn, importsWithin } from './imports.mjs';

it('finds a cycle through a type, and leaves out what only leads to it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-imports-'));
  try {
    const files = {
      'a.ts': "import { b } from './b.ts'; export type A = typeof b;",
      'b.ts': "export * from './c.ts'; export const b = 1;",
      'c.ts': "import type { A } from './a.ts'; export type C = A;",
      'd.ts': "export const d = () => import('./a.ts');",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const cycles = cyclesIn(importsWithin(folder));
    expect([...cycles.keys()].sort()).toEqual(['a.ts', 'b.ts', 'c.ts'].map((name) => join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const levels = [['base'], ['store'], ['run', 'net']];
/** The messages for a file of src/main with this text. */
const said = (file, text) =>
  new Linter({ cwd: inProject() })
    .verify(
      text,
      [
        {
          files: ['**/*.ts'],
          plugins: { house },
          rules: { 'house/order': ['error', [{ root: 'src/main', levels, open: ['base'] }]] },
        },
      ],
      { filename: inProject('src/main', file) },
    )
    .map(({ messageId }) => messageId);

it('allows imports of an earlier folder’s index, and of any file of an open folder', () => {
  expect(said('run/follow/a.ts', "import '../../store/index.ts'; import '../../base/clock.ts';")).toEqual([]);
  expect(said('run/a.ts', "import './follow/b.ts'; import 'node:fs'; import '../../shared/a.ts';")).toEqual(
    [],
  );
});

it('refuses imports of later and sibling folders, of other folders’ inner files, and of folders without an order', () => {
  expect(said('store/a.ts', "import '../run/index.ts';")).toEqual(['later']);
  expect(said('net/a.ts', "export * from '../run/index.ts';")).toEqual(['later']);
  expect(said('run/a.ts', "import { b } from '../store/b.ts';")).toEqual(['inside']);
  expect(said('elsewhere/a.ts', '')).toEqual(['unknown']);
});
