/** For tests of the store: a temporary folder, a run's record, lines in the trainer's format. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shape } from '../block.ts';

export { runRecord } from '../../../shared/run/run.fixture.ts';

/** Small enough that a hundred lines fill every level. */
export const smallShape: Shape = { rows: 16, bucket: 4, fan: 4 };

export function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'ringlab-store-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export const line = (seq: number, kind: string, fields: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ v: 1, seq, t: 1_700_000_000 + seq, kind, ...fields })}\n`;

export const stepLine = (seq: number, step: number, loss: unknown = 1 / (step + 1)): string =>
  line(seq, 'step', { epoch: Math.floor(step / 10), step, loss });

export const bytesOf = (...lines: string[]): Uint8Array => Buffer.from(lines.join(''));

/** Deterministic for a seed: a failing test fails again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
