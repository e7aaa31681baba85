import { describe, expect, it } from 'vitest';
import { en } from './en/index.ts';
import { zh } from './zh/index.ts';

interface Tree {
  readonly [key: string]: string | Tree;
}

function flat(tree: Tree, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(`${prefix}${key}`, value);
    else for (const [inner, text] of flat(value, `${prefix}${key}.`)) found.set(inner, text);
  }
  return found;
}

const english = flat(en);
const chinese = flat(zh);
const stem = (key: string): string => key.replace(/_(one|other)$/, '');
const stems = (words: Map<string, string>): string[] => [...new Set([...words.keys()].map(stem))].sort();

const files = import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });
const sources = Object.entries(files)
  .filter(([path]) => !path.includes('.test.') && !path.startsWith('./'))
  .map(([, text]) => text)
  .join('\n');
const areas = Object.keys(en).join('|');
const whole = new Set(
  [...sources.matchAll(new RegExp(`['"\`]((?:${areas})\\.[A-Za-z0-9_.-]+)['"\`]`, 'g'))].map(
    ([, key = '']) => key,
  ),
);
/** Keys that are put together: the parts before, between and after what is filled in. */
const patterns = [...sources.matchAll(new RegExp(`\`((?:${areas})\\.[^\`]*\\$\\{[^\`]*)\``, 'g'))].map(
  ([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^.]+')}$`,
    ),
);

describe('words', () => {
  it('are the same keys in both languages', () => {
    expect(stems(chinese)).toEqual(stems(english));
  });

  it('have the same parameters in both languages', () => {
    const params = (text: string): string[] =>
      [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).sort();
    for (const [key, text] of chinese) {
      expect([key, params(text)]).toEqual([key, params(english.get(key) ?? '')]);
    }
  });

  it('are never empty, and Chinese is Chinese', () => {
    const latin = /^[\s\p{P}\p{S}A-Za-z0-9{}]*$/u;
    const untranslated = [...chinese].filter(
      ([key, text]) =>
        latin.test(text) && text.replace(/\{\{\w+\}\}/g, '').length > 14 && text === english.get(key),
    );
    expect(untranslated).toEqual([]);
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('that the code asks for are all there', () => {
    const known = new Set([...english.keys(), ...stems(english)]);
    const asked = [...sources.matchAll(/\bt\(\s*['"]([A-Za-z0-9_.-]+)['"]/g)].map(([, key = '']) => key);
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => !known.has(key))).toEqual([]);
  });

  it('that nobody asks for are none', () => {
    const unused = stems(english).filter((key) => !whole.has(key) && !patterns.some((one) => one.test(key)));
    expect(unused).toEqual([]);
  });
});
