import { describe, expect, it } from 'vitest';
import { canMove, canResume, endStates, RunState, runTransitions } from './run.ts';

describe('run states', () => {
  it('every state can be left, and every one but draft reached', () => {
    const reached = new Set(Object.values(runTransitions).flat());
    for (const state of RunState.options) {
      expect(runTransitions[state].length).toBeGreaterThan(0);
      if (state !== 'draft') expect(reached).toContain(state);
    }
  });

  it('an ended run continues only through preparing, except for a lost one that came back', () => {
    for (const state of endStates) if (state !== 'lost') expect(runTransitions[state]).toEqual(['preparing']);
    expect(canMove('lost', 'running')).toBe(true);
    expect(canMove('draft', 'running')).toBe(false);
    expect(canMove('running', 'preparing')).toBe(false);
  });

  it('a finished run cannot be resumed', () => {
    expect(canResume('finished')).toBe(false);
    expect(canResume('interrupted')).toBe(true);
  });
});
