import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unusedProblems, unusedThings } from './unused.mjs';

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'ringlab-unused-'));
});
/** knip starts in a second; on a busy machine it takes many. */
const timeout = 60_000;
afterEach(() => rmSync(project, { recursive: true, force: true }));

const write = (files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
};
const used = {
  'package.json': '{ "type": "module" }',
  'knip.config.js': "export default { entry: ['main.ts'], project: ['**/*.ts'] };",
  'main.ts': "import { used } from './part.ts';\nused();\n",
  'part.ts': 'export const used = () => 1;\n',
};

it(
  'names a file, an export and a package that nothing uses, and one that is not listed, with what to do',
  { timeout },
  async () => {
    write({
      ...used,
      'package.json': '{ "type": "module", "dependencies": { "left-pad": "1.0.0" } }',
      'part.ts':
        "import 'right-pad';\nimport './gone.ts';\nexport const used = () => 1;\nexport const dead = 2;\nexport type Dead = string;\n",
      'forgotten.ts': 'export const one = 1;\n',
    });
    expect(await unusedProblems(process.execPath, project)).toEqual([
      'forgotten.ts is reached from no program, test or measurement: delete it, or list it in knip.config.js where something starts it by its path',
      'package.json lists left-pad, which nothing imports: `npm uninstall left-pad`, and remove its line in docs/dependencies.md',
      'part.ts:1 imports right-pad, which package.json does not list: `npm install --save-exact` its package at the version of package-lock.json, with a line of reason in docs/dependencies.md',
      'part.ts:2 imports ./gone.ts, which is not there: correct its path',
      'part.ts:4 exports dead, which no other file imports: remove `export`, and the thing itself where its own file does without it',
      'part.ts:5 exports Dead, which no other file imports: remove `export`, and the thing itself where its own file does without it',
    ]);
  },
);

it('shows a kind of finding without advice', () => {
  expect(unusedThings({ issues: [{ file: 'a.ts', surprises: [{ name: 'b' }] }] })).toEqual([
    'a.ts: surprises b',
  ]);
});
