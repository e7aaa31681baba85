import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import { createSkippingClock, type SkippingClock } from '../../base/testing/skipping-clock.ts';
import type { SshSession } from '../../ssh/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { defaultSettings, type RunSettings } from '../record/settings.ts';
import { createMemoryStore, type MemoryStore } from '../testing/memory-store.ts';
import { mirrorPath } from './log-mirror.ts';
import { createNodeReader, type NodeReader, type ReaderListener } from './node-reader.ts';
import { createNodeTrust } from './node-trust.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-reader-'))));
afterEach(() => rm(folder, { recursive: true }));

const directoryOf = (rank: number) => join(folder, `rank-${rank}`);
const processOf = (rank: number) => ({
  rank,
  order: { nodeId: 'n', label: `rank-${rank}`, directory: directoryOf(rank), argv: [], env: {}, attempt: 1 },
});

function createReader(settings: Partial<RunSettings>, logGrew: ReaderListener['logGrew'] = () => undefined) {
  const clock = createSkippingClock();
  const store = createMemoryStore(folder);
  const reader = createNodeReader({
    ...{ store, clock, settings: { ...defaultSettings, ...settings }, runId: 'r', nodeName: 'N' },
    listener: {
      appended: () => undefined,
      logGrew,
      problem: (error) => {
        throw error;
      },
    },
    signal: new AbortController().signal,
    trust: createNodeTrust(0, clock),
  });
  return { reader, store, clock };
}

it('a log that is longer than its copy may be is reported whenever it grows, as those who show it read its end from the node', async () => {
  const sizes: number[] = [];
  const { reader, store } = createReader({ logMirrorBytes: 100 }, (_, size) => sizes.push(size));
  const directory = directoryOf(0);
  await mkdir(directory);
  const session = createLocalShell({ home: folder });
  const read = () => reader.read(session, [processOf(0)], true);
  for (let i = 0; i < 6; i += 1) {
    await appendFile(join(directory, 'log.txt'), 'x'.repeat(40));
    while ((await read()).more);
    // Nothing new, and nothing to report.
    expect(await read()).toEqual({ more: false, exited: false });
  }
  expect(sizes).toEqual([40, 80, 120, 160, 200, 240]);
  expect((await readFile(mirrorPath(store.runFolder('r'), 0))).length).toBe(100);
});

/** Lines of about 1 kB each. */
const linesOf = (count: number, t: number, width = 1000): string =>
  Array.from(
    { length: count },
    (_, seq) => `${JSON.stringify({ v: 1, seq, t: t + seq, kind: 'note', text: 'x'.repeat(width) })}\n`,
  ).join('');

describe('a night’s lines of many ranks', () => {
  /** A node behind a link that carries only so many bytes of an answer within the time-out. */
  function slowLink(clock: SkippingClock, mostBytes: number) {
    const shell = createLocalShell({ home: folder });
    const answers: number[] = [];
    const exec: SshSession['exec'] = async (script, how) => {
      const result = await shell.exec(script, how);
      answers.push(result.stdout.length);
      clock.skip((defaultSettings.readTimeout * result.stdout.length) / mostBytes);
      if (result.stdout.length > mostBytes)
        throw new RinglabError('command_timeout', { seconds: 15, command: 'read' });
      return result;
    };
    return { session: { ...shell, exec }, answers };
  }
  /** As the follower does: asks again after a time-out. */
  async function readAll(reader: NodeReader, session: SshSession, ranks: number) {
    const processes = Array.from({ length: ranks }, (_, rank) => processOf(rank));
    let timeOuts = 0;
    for (let more = true; more;) {
      try {
        ({ more } = await reader.read(session, processes, true));
      } catch (error) {
        if (!(error instanceof RinglabError) || error.code !== 'command_timeout') throw error;
        timeOuts += 1;
        if (timeOuts > 20) throw error;
      }
    }
    return timeOuts;
  }
  async function written(ranks: number, lines: number): Promise<void> {
    for (let rank = 0; rank < ranks; rank += 1) {
      await mkdir(directoryOf(rank));
      await writeFile(join(directoryOf(rank), 'metrics.jsonl'), linesOf(lines, rank));
      await writeFile(join(directoryOf(rank), 'log.txt'), `${rank}\n`.repeat(20_000));
    }
  }
  async function expectAll(store: MemoryStore, ranks: number): Promise<void> {
    for (let rank = 0; rank < ranks; rank += 1) {
      const metrics = await readFile(join(directoryOf(rank), 'metrics.jsonl'), 'utf8');
      expect(store.raw('r', rankSource(rank))).toBe(metrics);
      const log = await readFile(join(directoryOf(rank), 'log.txt'), 'utf8');
      expect(await readFile(mirrorPath(store.runFolder('r'), rank), 'utf8')).toBe(log);
    }
  }

  it('are read in answers of a limited size, from all files in turn', async () => {
    await written(40, 300);
    const { reader, store, clock } = createReader({});
    const { session, answers } = slowLink(clock, Infinity);
    await readAll(reader, session, 40);
    expect(Math.max(...answers)).toBeLessThan(6_000_000);
    await expectAll(store, 40);
  });

  it('arrive over a link that is too slow for a whole answer: each time-out asks for half as much', async () => {
    await written(12, 200);
    const { reader, store, clock } = createReader({});
    const { session } = slowLink(clock, 120_000);
    expect(await readAll(reader, session, 12)).toBeLessThan(10);
    await expectAll(store, 12);
  });

  it('arrive with lines that are longer than what the link carries was thought to be', async () => {
    await written(3, 50);
    await writeFile(join(directoryOf(1), 'metrics.jsonl'), linesOf(2, 1, 300_000));
    const { reader, store, clock } = createReader({});
    const { session } = slowLink(clock, 2_000_000);
    await readAll(reader, session, 3);
    await expectAll(store, 3);
  });
});
