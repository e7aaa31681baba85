/** Tests of streamed lines: through a real shell and `tail`, and the fallback where offsets are uncertain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLineTaker, manyScript, streamScript } from './line-stream.ts';
import { endGroup } from '../../ssh/testing/processes.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-lines-'))));
afterEach(() => rm(folder, { recursive: true }));

/** A consumer that records what it receives. */
function keeper(offsets: number[], fits: () => boolean = () => true) {
  const taken: [string, number, string][] = [];
  const listener = { watched: vi.fn(), doubtful: vi.fn() };
  const lines = createLineTaker(
    offsets.map((offset, index) => ({ path: `/${index}`, offset: () => offset })),
    (path, offset, bytes) => {
      taken.push([path, offset, Buffer.from(bytes).toString()]);
      return Promise.resolve(fits());
    },
    listener,
  );
  return { ...listener, taken, lines };
}

describe('the script', () => {
  it.each([
    ['with a process for each file', streamScript],
    ['with one for all', manyScript],
  ])(
    'prints whole new lines of each file from its offset on, and that a watched file appeared, %s',
    async (_how, scriptOf) => {
      const a = join(folder, "it's a");
      const b = join(folder, 'b');
      const exit = join(folder, 'exit.json');
      const long = `{"path":"图${'x'.repeat(100_000)}"}`;
      await writeFile(a, '{"old":1}\n{"a":1}\n{"torn":');
      const script = scriptOf(
        [
          { path: a, offset: () => 10 },
          { path: b, offset: () => 0 },
        ],
        [exit],
      );
      const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
      try {
        let output = '';
        child.stdout.on('data', (data: Buffer) => (output += data.toString('latin1')));
        await vi.waitFor(() => expect(output).toContain('{"a":1}'), 30_000);
        await appendFile(a, '2}\n');
        await writeFile(b, `${long}\n`);
        await writeFile(exit, '{"code":0}\n');
        await vi.waitFor(() => {
          const lines = Buffer.from(output, 'latin1').toString().trimEnd().split('\n').sort();
          expect(lines).toEqual([
            '- 10 {"code":0}',
            '0 10 {"torn":2}',
            '0 7 {"a":1}',
            `1 ${Buffer.byteLength(long)} ${long}`,
          ]);
        }, 30_000);
      } finally {
        endGroup(child);
      }
    },
  );
});

describe('the script of many files', () => {
  it('ends where a file is shorter than what was read of it, and where there is no Perl', async () => {
    const a = join(folder, 'a');
    await writeFile(a, '{"a":1}\n');
    const codeOf = async (from: number, path: string | undefined): Promise<number | null> => {
      const env = path === undefined ? process.env : { PATH: path };
      const child = spawn('/bin/sh', ['-c', manyScript([{ path: a, offset: () => from }], [])], {
        env,
        stdio: 'ignore',
      });
      await once(child, 'exit');
      return child.exitCode;
    };
    expect(await codeOf(9, undefined)).toBe(3);
    expect(await codeOf(0, folder)).toBe(9);
  });
});

describe('parsing streamed lines', () => {
  it('places each at its byte, across chunk borders and several files', async () => {
    const { taken, lines, watched, doubtful } = keeper([100, 0]);
    lines.push('0 7 {"a":1}\n1 11 {"b":');
    await lines.settled();
    lines.push('"图"}\n0 7 {"a":2}\n0 7 {"a":3}\n- 10 {"code":0}\n');
    await lines.settled();
    expect(taken).toEqual([
      ['/0', 100, '{"a":1}\n'],
      ['/1', 0, '{"b":"图"}\n'],
      ['/0', 108, '{"a":2}\n{"a":3}\n'],
    ]);
    expect(watched).toHaveBeenCalledOnce();
    expect(doubtful).not.toHaveBeenCalled();
  });

  it.each([
    ['a line of another length, as one that is not UTF-8 has', '0 9 {"a":1}'],
    ['a line that NUL bytes fell out of', '0 5 {"a":'],
    ['an empty line', '0 0 '],
    ['a file nobody asked for', '7 7 {"a":1}'],
    ['words of another program', 'Killed'],
  ])('fault 29: stops at %s, and accepts nothing after it', async (_what, line) => {
    const { taken, lines, doubtful } = keeper([0]);
    lines.push(`0 7 {"a":0}\n`);
    await lines.settled();
    lines.push(`${line}\n0 7 {"a":2}\n`);
    await lines.settled();
    expect(taken).toHaveLength(1);
    expect(doubtful).toHaveBeenCalledOnce();
  });

  it('stops if the lines do not continue the bytes read by offset', async () => {
    const { taken, lines, doubtful } = keeper([0], () => false);
    lines.push('0 7 {"a":0}\n');
    await lines.settled();
    lines.push('0 7 {"a":1}\n');
    await lines.settled();
    expect(taken).toHaveLength(1);
    expect(doubtful).toHaveBeenCalledOnce();
  });

  it('stops at an endless line instead of buffering it', () => {
    const { lines, doubtful } = keeper([0]);
    for (let chunk = 0; chunk < 70; chunk += 1) lines.push('x'.repeat(65_536));
    expect(doubtful).toHaveBeenCalledOnce();
  });
});
