// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { keepText } from './kept-text.ts';

afterEach(() => vi.restoreAllMocks());

it('a full storage is reported, not thrown: what the user chose goes on in this window', () => {
  expect(keepText('key', 'one')).toBe(true);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(keepText('key', 'two')).toBe(false);
  expect(localStorage.getItem('key')).toBe('one');
});
