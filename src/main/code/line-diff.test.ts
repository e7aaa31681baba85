import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diffLineKinds } from '../../shared/run/code-files.ts';
import { unifiedDiff } from './line-diff.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringlab-diff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git's own `apply` makes of the text. */
function applied(before: string, diff: string): string {
  const file = join(folder, 'f.txt');
  writeFileSync(file, before);
  writeFileSync(join(folder, 'change.diff'), diff);
  execFileSync('git', ['apply', '--unsafe-paths', '--unidiff-zero', 'change.diff'], { cwd: folder });
  return execFileSync('cat', [file], { encoding: 'utf8' });
}

/** A repeatable sequence of numbers in [0, below). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

describe('the difference of two texts', () => {
  it('has the changed lines with three around them, as git prints them', () => {
    const before = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    const after = before.with(10, 'changed');
    expect(unifiedDiff('a/b.py', `${before.join('\n')}\n`, `${after.join('\n')}\n`)).toBe(
      `diff --git a/a/b.py b/a/b.py
--- a/a/b.py
+++ b/a/b.py
@@ -8,7 +8,7 @@
 line 7
 line 8
 line 9
-line 10
+changed
 line 11
 line 12
 line 13
`,
    );
  });

  it('names a new and a removed file, and a missing last newline', () => {
    expect(unifiedDiff('n.py', undefined, 'x\n')).toContain(
      'new file\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n',
    );
    expect(unifiedDiff('n.py', 'x\n', undefined)).toContain('+++ /dev/null\n@@ -1 +0,0 @@\n-x\n');
    expect(unifiedDiff('n.py', 'x', 'x\n')).toContain('-x\n\\ No newline at end of file\n+x\n');
    expect(unifiedDiff('n.py', 'x', 'x')).toBe('');
  });

  it('makes the second text of the first, whatever they are (judged by git)', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const next = numbers(seed);
      const before = Array.from({ length: 1 + next(40) }, () => `l${next(6)}`);
      const after = before.flatMap((line) =>
        next(5) === 0 ? [] : next(5) === 0 ? [line, `n${next(4)}`] : [line],
      );
      const [a, b] = [`${before.join('\n')}\n`, [...after, 'end', ''].join('\n')];
      expect(applied(a, unifiedDiff('f.txt', a, b))).toBe(b);
    }
  });

  it('of texts that have nothing in common replaces one by the other, quickly', () => {
    const text = (mark: string): string => Array.from({ length: 9000 }, (_, n) => `${mark}${n}\n`).join('');
    const diff = unifiedDiff('f.txt', `same\n${text('a')}`, `same\n${text('b')}`);
    expect(diff).toContain('@@ -1,9001 +1,9001 @@\n same\n-a0\n');
  });

  it('is shown by kinds of lines, even where a line begins with dashes', () => {
    const text = unifiedDiff('f.sql', 'a\n-- old\n', 'a\n++ new\n');
    expect(diffLineKinds(text)).toEqual([
      'file',
      'file',
      'file',
      'place',
      'same',
      'removed',
      'added',
      'same',
    ]);
  });
});
