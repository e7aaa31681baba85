import { expect, it } from 'vitest';
import { isTyped } from './typed-letter.ts';

it('a letter is the one that is typed on Latin keyboards, wherever it is', () => {
  expect(isTyped('z', { key: 'z', code: 'KeyW' })).toBe(true);
  expect(isTyped('z', { key: 'Z', code: 'KeyZ' })).toBe(true);
  expect(isTyped('z', { key: 'w', code: 'KeyZ' })).toBe(false);
  // Dvorak types punctuation there, and others accents.
  for (const key of [';', 'Dead', 'é', 'ł', '∫', 'Process'])
    expect(isTyped('z', { key, code: 'KeyZ' })).toBe(false);
});

it('a letter is the key of its position on keyboards of other scripts', () => {
  // Russian, Greek, Hebrew, Arabic (one key types two letters), Thai, Hindi.
  for (const key of ['я', 'Я', 'ζ', 'ז', 'ئ', 'لا', 'ั', '्']) {
    expect(isTyped('z', { key, code: 'KeyZ' })).toBe(true);
    expect(isTyped('y', { key, code: 'KeyZ' })).toBe(false);
  }
});
