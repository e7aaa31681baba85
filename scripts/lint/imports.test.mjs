import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { orderProblems } from './arrows.mjs';
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
/** Problems of a file of src/main that imports these files of it. */
const problems = (file, ...targets) =>
  orderProblems(
    { root: 'src/main', levels, open: ['base', 'store/schema.ts'] },
    new Map([[`src/main/${file}`, targets.map((target) => `src/main/${target}`)]]),
  );

it('allows imports of an earlier folder’s index, and of an open folder or file', () => {
  expect(problems('run/follow/a.ts', 'store/index.ts', 'base/clock.ts', 'store/schema.ts')).toEqual([]);
  expect(problems('run/a.ts', 'run/follow/b.ts', '../shared/a.ts')).toEqual([]);
  expect(problems('store/a.test.ts', 'run/a.ts')).toEqual([]);
});

it('refuses imports of later and sibling folders, of other folders’ inner files, and of folders without an order', () => {
  const order = 'src/main/run/index.ts. In src/main the order is base ← store ← run, net: ';
  expect(problems('store/a.ts', 'run/index.ts')).toEqual([
    `src/main/store/a.ts imports ${order}what store and run both need belongs in store or in a folder before it.`,
  ]);
  expect(problems('net/a.ts', 'run/index.ts')).toEqual([
    `src/main/net/a.ts imports ${order}what net and run both need belongs in net or in a folder before it.`,
  ]);
  expect(problems('run/a.ts', 'store/b.ts', 'store/inner/index.ts')).toEqual(
    ['b.ts', 'inner/index.ts'].map(
      (name) =>
        `src/main/run/a.ts imports src/main/store/${name}. Import store's index.ts, never its insides.`,
    ),
  );
  expect(problems('elsewhere/a.ts')).toEqual([
    'src/main/elsewhere/a.ts: elsewhere has no place in the order of src/main: give it one in scripts/lint/orders.mjs and ARCHITECTURE.md.',
  ]);
});
