// @vitest-environment jsdom
/** Tests of what several windows keep for each lab in one storage. */
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keptByLab } from './kept-by-lab.ts';

beforeEach(() => localStorage.clear());
afterEach(() => void vi.restoreAllMocks());

/** As a window that has just been loaded. */
const loaded = () =>
  keptByLab<string[]>('test.labs', (text) =>
    text === null ? {} : (JSON.parse(text) as Record<string, string[]>),
  ); // Only this test writes it.
const shown = (kept: ReturnType<typeof loaded>, labId: string) =>
  renderHook(() => kept.use(labId)).result.current;
const add = (kept: ReturnType<typeof loaded>, labId: string, name: string): void =>
  kept.change(labId, (stored = []) => [...stored, name]);

it('a window leaves what others have chosen since it was loaded', () => {
  const [one, two] = [loaded(), loaded()];
  add(one, 'a', 'first');
  add(two, 'b', 'second');
  add(two, 'a', 'third');
  const third = loaded();
  expect([shown(third, 'a'), shown(third, 'b')]).toEqual([['first', 'third'], ['second']]);
  expect(shown(two, 'a')).toEqual(['first', 'third']);
});

it('a window whose storage is full keeps its choices itself', () => {
  const kept = loaded();
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  add(kept, 'a', 'first');
  add(kept, 'a', 'second');
  expect(shown(kept, 'a')).toEqual(['first', 'second']);
  vi.restoreAllMocks();
  add(kept, 'a', 'third');
  expect(shown(loaded(), 'a')).toEqual(['first', 'second', 'third']);
});

it('keeps the newest hundred labs', () => {
  const kept = loaded();
  for (let lab = 0; lab <= 100; lab += 1) add(kept, `lab-${lab}`, 'x');
  expect([shown(kept, 'lab-0'), shown(kept, 'lab-1')]).toEqual([undefined, ['x']]);
});
