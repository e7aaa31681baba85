import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { tryPatterns, type TryServices } from './try-patterns.ts';

const trainer = join(import.meta.dirname, '..', '..', '..', '..', 'native', 'build', 'ringlab-train');
const script = { source: { type: 'folder' as const, path: '/c' }, file: 'train.py', arguments: '' };

const rankOf = (): RunRecord['ranks'][number] => ({
  ...{ rank: 0, nodeId: 'n1', nodeName: 'N1', localRank: 0, state: 'done' },
  ...{ argv: [], env: {}, directory: '/r' },
});

const services = (text: string, trainerBinary: string | undefined = trainer): TryServices => {
  const run = runRecord('r1', { ranks: [rankOf()] });
  const scripted = { ...run, lab: { ...run.lab, experiment: { ...defaultExperiment(), script } } };
  return {
    runs: {
      // The trainer's own run is no script's, whatever it printed.
      list: () => Promise.resolve([{ ...run, id: 'native' }, scripted]),
      log: ({ runId }) => Promise.resolve({ text: runId === 'native' ? 'no' : text, offset: 0 }),
    },
    reach: { session: () => Promise.reject(new Error('no node is asked')) },
    trainerBinary,
  };
};

describe.runIf(existsSync(trainer))('patterns that a user tries', () => {
  it('are judged by the trainer: values and their places in the newest lines, and what is wrong', async () => {
    const log = '\u001b[1mdé 5\u001b[0m loss=0.25\r\nnothing\n';
    const tried = await tryPatterns(services(log), 'lab', [
      'loss=([0-9.]+)',
      '(a',
      'dé (?<step>\\d+)',
      'a(?=b)',
    ]);
    expect(tried.errors.map((error) => error !== null)).toEqual([false, true, false, true]);
    expect(tried.lines.map(({ text }) => text)).toEqual(['dé 5 loss=0.25', 'nothing']);
    const [first] = tried.lines;
    // Places are characters: the line has a letter of two bytes before them.
    expect(first?.matches).toEqual([
      { pattern: 0, begin: 5, end: 14, value: 0.25 },
      { pattern: 2, begin: 0, end: 4, step: 5 },
    ]);
    expect(tried.run?.id).toBe('r1');
  });

  it('take linear time, and a wrong one is reported without any log', async () => {
    const slow = await tryPatterns(services(`${'a'.repeat(3000)}!\n`), 'lab', ['(a*)*b', '(']);
    expect(slow.lines[0]?.matches).toEqual([]);
    const empty = await tryPatterns(services(''), 'lab', ['(']);
    expect([empty.errors[0] === null, empty.lines, empty.run]).toEqual([false, [], undefined]);
  });

  it('need a trainer: of this computer or of the run', async () => {
    await expect(
      tryPatterns({ ...services('x'), trainerBinary: undefined }, 'lab', ['x']),
    ).rejects.toMatchObject({ code: 'trainer_gone' });
  });
});
