import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { inProject } from './project.mjs';

/** All files that `entry` loads before its first line runs, and the packages that they import. */
function loadedBy(entry) {
  const files = new Set();
  const packages = [];
  const visit = (path) => {
    if (files.has(path)) return;
    files.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*['"]([^'"]+)['"]/gmu,
    )) {
      if (name.startsWith('.')) visit(resolve(dirname(path), name));
      else if (!name.startsWith('node:')) packages.push(`${relative(inProject(), path)} imports ${name}`);
    }
  };
  visit(inProject('scripts', entry));
  return { files, packages };
}

it.each(['setup', 'start', 'dev', 'demo', 'ringlab', 'test', 'test-full', 'check', 'package', 'bench'])(
  'npm run %s starts in a fresh clone: nothing that npm has yet to bring is loaded before the set-up',
  (entry) => {
    const { files, packages } = loadedBy(`${entry}.mjs`);
    expect(files.size).toBeGreaterThan(3);
    expect(packages).toEqual([]);
  },
);
