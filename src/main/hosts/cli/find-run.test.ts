import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isUnderWay, type RunState } from '../../../shared/run/run.ts';
import { AmbiguousRun, chooseRun } from './find-run.ts';

const run = (id: string, name: string, state: RunState): RunSummary =>
  // The fields of a summary that are used.
  ({ id, name, state }) as RunSummary;

const runs = [
  run('20260101-100000-aaaaaa', 'Ring', 'finished'),
  run('20260101-100000-aaaaab', 'Ring', 'running'),
  run('20260202-100000-cccccc', 'Star', 'stopped'),
];

describe('the run that a user names', () => {
  it('is found by its id, a prefix of it, or its name', () => {
    expect(chooseRun(runs, '20260101-100000-aaaaaa').id).toBe('20260101-100000-aaaaaa');
    expect(chooseRun(runs, '202602').id).toBe('20260202-100000-cccccc');
    expect(chooseRun(runs, 'Star').id).toBe('20260202-100000-cccccc');
  });

  it('is the only run of that name to which the command applies', () => {
    expect(chooseRun(runs, 'Ring', ({ state }) => isUnderWay(state)).id).toBe('20260101-100000-aaaaab');
  });

  it('is ambiguous if several match, with their ids listed', () => {
    for (const word of ['Ring', '20260101']) {
      expect(() => chooseRun(runs, word)).toThrow(AmbiguousRun);
      expect(() => chooseRun(runs, word)).toThrow('20260101-100000-aaaaab');
    }
  });

  it('is not found by an empty text, a pattern, or a part of its name', () => {
    for (const word of ['', '*', 'Rin', 'aaaaaa', '20260101-100000-aaaaaa '])
      expect(() => chooseRun(runs, word)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
