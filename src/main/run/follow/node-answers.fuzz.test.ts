/** Fuzzed answers of a node that trains: parsed within limits, or refused as a RinglabError. */
import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import {
  anyText,
  forEachCase,
  fuzzTimeout,
  mutateText,
  mutateTree,
  type Random,
} from '../../../shared/testing/fuzz.ts';
import { createLineTaker } from './line-stream.ts';
import { lastWordsOf, sliceText } from './log-mirror.ts';
import { parseRead } from './node-files.ts';
import { parseProcess, parseSights } from '../launch/ssh/sight.ts';
import { sshProcess } from '../launch/ssh/ssh-process.ts';
import { readPickle } from '../artifacts/pickle.ts';
import { progressAfter } from '../record/progress.ts';
import { verdict, type RankEnd } from './verdict.ts';
import { runRecord } from '../../store/testing/fixtures.ts';
import { parseMetricLine } from '../../../shared/metrics/metrics.ts';
import { RunRecord } from '../../../shared/run/run.ts';

/** Any error but a RinglabError is a bug. */
function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RinglabError) return undefined;
    throw error;
  }
}

const words = [
  'file',
  'folder',
  'pid',
  'exit',
  'process',
  'boot',
  'end',
  '.',
  'NaN',
  '-1',
  '1e309',
  '{',
  '}',
  'null',
];

it('sizes and bytes of files', { timeout: fuzzTimeout() }, () =>
  forEachCase('parseRead', (random) => {
    const requests = ['0', '1'].map((key) => ({ key, path: `/${key}`, offset: random.below(50), limit: 64 }));
    const good = `file 0 71\n${Buffer.from('{"v":1}\n').toString('base64')}\n.\nfile 1 9\n.\nend\n`;
    const chunks = orRefused(() => parseRead(mutateText(good, random, words), requests));
    for (const [key, chunk] of chunks ?? []) {
      expect(['0', '1']).toContain(key);
      expect(chunk.bytes.length).toBeLessThanOrEqual(64);
      expect(Number.isSafeInteger(chunk.size) && chunk.size >= 0).toBe(true);
    }
  }),
);

it('processes and how they ended', { timeout: fuzzTimeout() }, () =>
  forEachCase('parseSights', (random) => {
    const pid = '{"pid":41,"boot_id":"b-1","start_ticks":77,"attempt":1}';
    const good = `boot b-1\nfolder\npid ${pid}\nprocess S 77\nfolder\npid ${pid}\nexit {"code":0,"signal":null,"t":1700000000,"attempt":1,"oom":false}\n`;
    const sights = orRefused(() => parseSights(mutateText(good, random, words), [1, 1])) ?? [];
    for (const sight of sights) {
      if (sight.state !== 'exited') continue;
      expect(Number.isFinite(sight.exit.t)).toBe(true);
      expect(new Date(sight.exit.t * 1000).toISOString()).not.toBe('');
    }
    const process = orRefused(() => parseProcess(mutateText(pid, random, words), 'rank-0'));
    if (process !== undefined) expect(sshProcess(process).pid).toBe(process.pid);
  }),
);

it('the end of a log', { timeout: fuzzTimeout() }, () =>
  forEachCase('lastWordsOf', (random) => {
    const text = mutateText(
      `Epoch: [0][ 1/9]\n\u001b[31mboom\u001b[0m\nTraceback\n`.repeat(1 + random.below(50)),
      random,
    );
    for (const line of lastWordsOf(text)) {
      expect(line.length).toBeLessThanOrEqual(500);
      expect(line).not.toMatch(/[\u0000-\u0008\u001b\u007f]/);
    }
    const bytes = Buffer.from(anyText(random));
    const slice = sliceText(bytes, random.below(9), bytes.length + random.below(9));
    expect(slice.nextOffset).toBeLessThanOrEqual(slice.offset + bytes.length);
  }),
);

it('the record’s lines can always be written and read again', { timeout: fuzzTimeout() }, () =>
  forEachCase('progressAfter', (random) => {
    const lines: unknown[] = [
      { kind: 'start', start_epoch: 0, start_step: 0 },
      { kind: 'step', step: 4, loss: 0.5 },
      { kind: 'eval', top1: 1, top5: 2 },
      { kind: 'epoch', epoch: 0, val_top1: 1, val_top5: 2, best_top1: 3 },
      { kind: 'error', message: 'boom', hint: 'less' },
      { kind: 'end', epochs_completed: 1, best_top1: 3, exit_code: 0 },
    ];
    const broken = lines.flatMap((line, seq) => {
      const parsed = parseMetricLine(
        JSON.stringify({ v: 1, seq, t: 1, ...Object(mutateTree(line, random, 1)) }),
      );
      return parsed.ok ? [parsed.line] : [];
    });
    const record = { ...runRecord('r'), ...progressAfter({}, broken) };
    const end: RankEnd = {
      rank: 0,
      nodeName: 'a',
      how: 'exited',
      exit: { code: random.pick([0, 1, 4, 5]), signal: null, t: 1, outOfMemory: false },
      asked: false,
      endLine: broken.find(({ kind }) => kind === 'end'),
      errorLine: broken.find(({ kind }) => kind === 'error'),
      lastWords: [],
    };
    const { error } = verdict([end], {
      epochs: 1,
      epochsCompleted: record.epochsCompleted,
      stopAsked: false,
    });
    const written = JSON.stringify({ ...record, ...(error === undefined ? {} : { error }) });
    expect(RunRecord.safeParse(JSON.parse(written)).error?.issues[0]).toBeUndefined();
    expect(written.length).toBeLessThan(50_000);
  }),
);

/** Splits the lines into pieces, as a connection does. */
function* pieces(text: string, random: Random): Generator<string> {
  for (let at = 0; at < text.length;) {
    const length = 1 + random.below(random.chance(0.2) ? 3 : 400);
    yield text.slice(at, at + length);
    at += length;
  }
}

it('streamed lines are accepted in order without a gap, or not at all', { timeout: fuzzTimeout() }, () =>
  forEachCase('createLineTaker', async (random) => {
    const contents = Array.from({ length: 1 + random.below(30) }, (_, seq) =>
      JSON.stringify({ v: 1, seq, t: 1, kind: 'step', said: random.chance(0.3) ? anyText(random) : '' }),
    );
    const stream = contents.map((line) => `0 ${Buffer.byteLength(line)} ${line}\n`).join('');
    const broken = random.chance(0.7)
      ? mutateText(stream, random, ['0 2 {}', '- 1 x', '9 9 9', '\n'])
      : stream;
    let next = 0;
    let doubted = false;
    const taker = createLineTaker(
      [{ path: '/0', offset: () => 0 }],
      (path, offset, bytes) => {
        expect([path, offset]).toEqual(['/0', next]);
        next += bytes.length;
        return Promise.resolve(true);
      },
      { watched: () => undefined, doubtful: () => (doubted = true) },
    );
    for (const piece of pieces(broken, random)) taker.push(piece);
    await taker.settled();
    if (broken === stream) {
      expect(doubted).toBe(false);
      expect(next).toBe(Buffer.byteLength(`${contents.join('\n')}\n`));
    }
  }),
);

/** A random pickle by its grammar: opcodes of torch.save with valid arguments, then a few bytes changed. */
function pickleOf(random: Random): Buffer {
  const parts: Buffer[] = [Buffer.from([0x80, 2])];
  const text = (): Buffer => {
    const said = Buffer.from(anyText(random));
    const head = Buffer.alloc(5);
    head[0] = 0x58;
    head.writeUInt32LE(said.length, 1);
    return Buffer.concat([head, said]);
  };
  for (let n = random.below(200); n > 0; n -= 1) {
    parts.push(
      random.pick([
        () =>
          Buffer.from(
            random.pick([
              '}',
              ']',
              ')',
              '(',
              'N',
              't',
              'u',
              's',
              'e',
              'a',
              'R',
              'b',
              'Q',
              '\x85',
              '\x86',
              '\x87',
              '\x88',
            ]),
            'latin1',
          ),
        () => Buffer.from(['q', 'h'].map((op) => op.charCodeAt(0)).flatMap((op) => [op, random.below(4)])),
        () => Buffer.from([0x4b, random.below(256)]),
        () => Buffer.from([0x8a, 3, random.below(256), random.below(256), random.below(256)]),
        () =>
          Buffer.from(
            `c${random.pick(['torch._utils', 'os', 'collections'])}\n${random.pick(['_rebuild_tensor_v2', 'system', 'OrderedDict'])}\n`,
          ),
        text,
      ])(),
    );
  }
  parts.push(Buffer.from('.'));
  const bytes = Buffer.concat(parts);
  if (random.chance(0.5)) bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

it('pickles', { timeout: fuzzTimeout() }, () =>
  forEachCase('readPickle', (random) => {
    try {
      readPickle(pickleOf(random));
    } catch (error) {
      // verify-checkpoint.ts converts it to `file_unreadable`; the message is not empty.
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).not.toBe('');
    }
  }),
);
