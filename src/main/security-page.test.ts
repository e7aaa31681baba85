/** SECURITY.md names the attack that proves each of its lines, and every attack that there is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const named = [...readFileSync(join(root, 'SECURITY.md'), 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(
  ([, path = '']) => path,
);

it('every file that SECURITY.md names exists', () => {
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('SECURITY.md names every attack test', () => {
  const attacks = readdirSync(join(root, 'src/main/attacks'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `src/main/attacks/${name}`);
  expect(attacks.length).toBeGreaterThan(10);
  expect(attacks.filter((path) => !named.includes(path))).toEqual([]);
});
