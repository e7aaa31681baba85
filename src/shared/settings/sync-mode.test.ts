import { describe, expect, it } from 'vitest';
import { formatSyncMode, parseSyncMode } from './sync-mode.ts';

describe('ways of synchronising', () => {
  it.each([
    'auto',
    'allreduce',
    'fp16',
    'powersgd:2',
    'powersgd:1,fp16,late',
    'topk:0.01',
    'local:4',
    'diloco:8,2,fragments=2,overlap=1',
  ])('%s is understood and written again as it was', (text) => {
    const mode = parseSyncMode(text);
    expect(mode).toBeDefined();
    expect(mode === undefined ? '' : formatSyncMode(mode)).toBe(text);
  });

  it('has usual values where none is given', () => {
    expect(parseSyncMode('powersgd')).toEqual({ kind: 'powersgd', value: 2, parts: [] });
    expect(parseSyncMode('topk')).toEqual({ kind: 'topk', value: 0.001, parts: [] });
  });

  it.each([
    '',
    'ring',
    'auto:2',
    'auto,late',
    'allreduce:2',
    'powersgd:0',
    'powersgd:1.5',
    'topk:0.9',
    'local',
    'local:0',
    'diloco:8,rm -rf',
    'local:4,',
  ])('%s is none', (text) => expect(parseSyncMode(text)).toBeUndefined());
});
