import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inLanes, inOnePiece } from './lanes.mjs';
import { show } from './show.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lanes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A promise that the test resolves. */
function later() {
  let resolve = () => undefined;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

describe('the output of parallel suites', () => {
  it('is shown in one piece each, the first immediately', () => {
    let shown = '';
    const pieces = inOnePiece(['a', 'b', 'c'], folder, (text) => (shown += text));
    const [a, b, c] = ['a', 'b', 'c'].map(pieces.output);
    a.write('a1 ');
    c.write('c1 ');
    b.write('b1 ');
    expect(shown).toBe('a1 ');
    pieces.end('c');
    a.write('a2 ');
    pieces.end('a');
    expect(shown).toBe('a1 a2 b1 ');
    b.write('b2 ');
    pieces.end('b');
    expect(shown).toBe('a1 a2 b1 b2 c1 ');
    expect(readFileSync(join(folder, 'b.log'), 'utf8')).toBe('b1 b2 ');
  });
});

describe('suites in lanes', () => {
  it('wait only for the previous one in their lane, and return their results in order', async () => {
    const started = [];
    const gates = { a: later(), b: later(), c: later() };
    const done = inLanes(
      ['a', 'b', 'c'],
      (name) => (name === 'b' ? 1 : 0),
      async (name) => {
        started.push(name);
        await gates[name].promise;
        return name.toUpperCase();
      },
    );
    expect(started).toEqual(['a', 'b']);
    gates.b.resolve();
    gates.a.resolve();
    gates.c.resolve();
    expect(await done).toEqual(['A', 'B', 'C']);
    expect(started).toEqual(['a', 'b', 'c']);
  });
});

describe('a program of a suite', () => {
  it('has all of its output shown, and its exit code returned', async () => {
    let said = '';
    const output = { write: (text) => (said += text) };
    const script =
      'process.stdout.write("字".repeat(100000)); process.stderr.write("!"); process.exitCode = 3;';
    expect(await show(process.execPath, ['-e', script], {}, output)).toBe(3);
    expect([said.replaceAll('!', '').length, said.includes('!')]).toEqual([100_000, true]);
    expect(await show(join(folder, 'none'), [], {}, output)).toBe(127);
    expect(said).toContain('ENOENT');
  });

  it('has ended when its process exits, whatever it leaves running', async () => {
    const script = `const left = require('node:child_process').spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'ignore'] });
      console.log(left.pid); left.unref();`;
    let said = '';
    expect(await show(process.execPath, ['-e', script], {}, { write: (text) => (said += text) })).toBe(0);
    expect(Number(said)).toBeGreaterThan(1);
    process.kill(Number(said), 'SIGKILL');
  });
});
