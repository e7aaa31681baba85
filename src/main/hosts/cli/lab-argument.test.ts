import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { emptyLab, labMaxBytes } from '../../../shared/lab/lab.ts';
import { formatLab } from '../../../shared/lab/read-lab.ts';
import { UsageError } from './command-line.ts';
import { readLabArgument } from './lab-argument.ts';

const piped = (...chunks: (string | Buffer)[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('a lab on standard input', () => {
  it('is read to its end, across borders of characters', async () => {
    const bytes = Buffer.from(formatLab(emptyLab('one', '实验 one')));
    const cut = bytes.indexOf('实') + 1;
    const lab = await readLabArgument('-', 'check', piped(bytes.subarray(0, cut), bytes.subarray(cut)));
    expect(lab).toMatchObject({ id: 'one', name: '实验 one' });
  });

  it('is refused as a file is, by its name', async () => {
    await expect(readLabArgument('-', 'check', piped('x=1'))).rejects.toMatchObject({
      code: 'lab_unreadable',
      where: 'stdin',
    });
    let asked = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          asked += 1;
          yield Buffer.alloc(1024 * 1024, ' ');
        }
      })(),
    );
    await expect(readLabArgument('-', 'check', endless)).rejects.toMatchObject({ code: 'lab_too_large' });
    expect(asked).toBeLessThan(2 * (labMaxBytes / 1024 / 1024) + 20);
  });

  it('a script given as the lab is refused with the command that runs it', async () => {
    for (const script of ['train.py', '/home/a b/实验/RUN.SH'])
      await expect(readLabArgument(script, 'run', piped())).rejects.toThrow(`--script ${script} --nodes LAB`);
  });

  it('nothing there is a missing lab, and a terminal is no lab', async () => {
    await expect(readLabArgument('-', 'run', piped())).rejects.toThrow(/stdin.*empty/);
    const terminal = Object.assign(piped('{}'), { isTTY: true });
    await expect(readLabArgument('-', 'run', terminal)).rejects.toThrow(UsageError);
    for (const absent of [undefined, ''])
      await expect(readLabArgument(absent, 'run', piped())).rejects.toThrow('ringlab run LAB');
  });
});
