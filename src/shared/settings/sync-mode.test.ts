import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import file from '../../../native/sync/mode-vectors.json' with { type: 'json' };
import { formatSyncMode, parseSyncMode, remembersGradients, type ReadMode } from './sync-mode.ts';
import { syncKinds, syncRow } from './sync-modes.ts';

/** The trainer's parser is tested with the same file (native/tests/sync_mode_test.cpp). */
const vectors = z
  .object({ valid: z.array(z.looseObject({ text: z.string() })), refused: z.array(z.string()) })
  .parse(file);

/** The mode in the form of the vectors: without the fields that its compression does not use. */
const described = (text: string, mode: ReadMode) => ({
  text,
  outer: mode.outer,
  compression: mode.compression,
  ...(mode.compression === 'powersgd' ? { rank: mode.rank, half_factors: mode.halfFactors } : {}),
  ...(mode.compression === 'topk' ? { fraction: mode.fraction } : {}),
  ...(mode.compression === 'sparse' || mode.compression === 'stream' ? { bits: mode.bits } : {}),
  ...(mode.compression === 'stream' ? { adapt: mode.adapt } : {}),
  start: mode.start,
  ...(mode.outer
    ? {
        ...{ period: mode.period, outer_lr: mode.outerLearningRate, outer_momentum: mode.outerMomentum },
        ...{ fragments: mode.fragments, overlap: mode.overlap, qsr: mode.qsr },
      }
    : { late: mode.late }),
});

describe('modes of synchronisation', () => {
  it.each(vectors.valid.map((vector) => [vector.text, vector] as const))(
    '%s is parsed as by the trainer, and written unchanged',
    (text, vector) => {
      const mode = parseSyncMode(text);
      expect(mode && described(text, mode)).toEqual(vector);
      const again = mode && parseSyncMode(formatSyncMode(mode));
      expect(again && described(text, again)).toEqual(vector);
    },
  );

  it.each(vectors.refused)('do not include “%s”', (text) => expect(parseSyncMode(text)).toBeUndefined());

  it('have a test vector and texts each', () => {
    for (const kind of syncKinds) {
      if (kind !== 'auto')
        expect(
          vectors.valid.some(({ text }) => text.startsWith(kind)),
          kind,
        ).toBe(true);
      const { value, words } = syncRow(kind);
      expect(words.en.value !== undefined, kind).toBe(value !== undefined);
      expect(Object.keys(words['zh-CN'])).toEqual(Object.keys(words.en));
    }
  });

  it('include one for labs only, without an argument', () => {
    expect(parseSyncMode('auto')?.kind).toBe('auto');
    expect(parseSyncMode('auto:2')).toBeUndefined();
    expect(parseSyncMode('auto,late')).toBeUndefined();
  });

  it('state whether they keep error feedback', () => {
    const remembers = (text: string) => remembersGradients(parseSyncMode(text)!);
    expect(['powersgd', 'topk', 'local:4', 'fp16,late'].every(remembers)).toBe(true);
    expect(['auto', 'allreduce', 'fp16', 'bf16,start=9'].some(remembers)).toBe(false);
  });
});
