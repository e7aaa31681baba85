/** All words of the program: those of the window, of the services and those that both share, in both languages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en as windowEnglish } from '../../renderer/i18n/en/index.ts';
import { zh as windowChinese } from '../../renderer/i18n/zh/index.ts';
import { en as sharedEnglish } from '../../shared/i18n/en/index.ts';
import type { Dictionary } from '../../shared/i18n/words.ts';
import { zh as sharedChinese } from '../../shared/i18n/zh/index.ts';
import { en as mainEnglish } from './en/index.ts';
import { zh as mainChinese } from './zh/index.ts';

function flat(tree: Dictionary, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(`${prefix}${key}`, value);
    else for (const [inner, text] of flat(value, `${prefix}${key}.`)) found.set(inner, text);
  }
  return found;
}

const parts = [sharedEnglish, mainEnglish, windowEnglish];
const english = flat({ ...sharedEnglish, ...mainEnglish, ...windowEnglish });
const chinese = flat({ ...sharedChinese, ...mainChinese, ...windowChinese });
const stem = (key: string): string => key.replace(/_(zero|one|other)$/, '');
const stems = (words: Map<string, string>): string[] => [...new Set([...words.keys()].map(stem))].sort();

const src = join(import.meta.dirname, '..', '..');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.(test|fixture)\.|\/testing\/|^main\/attacks\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
const isDictionary = (path: string): boolean => /^(shared|main|renderer)\/i18n\/(en|zh)\//.test(path);
const sources = files
  .filter(({ path }) => !isDictionary(path))
  .map(({ text }) => text)
  .join('\n');
const areas = [...new Set([...english.keys()].map((key) => key.split('.')[0]))].join('|');
const whole = new Set(
  [...sources.matchAll(new RegExp(`['"\`]((?:${areas})(?:\\.[A-Za-z0-9_.-]+)?)['"\`]`, 'g'))].map(
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
        // The codes of diagnoses have a part for the subject and one for the failure.
        .join(template.startsWith('diagnoses.') ? '[^.]+\\.[^.]+' : '[^.]+')}$`,
    ),
);

/** Letters and punctuation. */
const chineseLetter = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u;
/** Where they may stand beside the dictionaries, and why. */
const mayHaveChinese: Readonly<Record<string, string>> = {
  'shared/settings/table.ts': 'a training setting is one row, with its words',
  'shared/settings/sync-modes.ts': 'a mode of synchronisation is one row, with its words',
  'shared/base/language.ts': 'the name of the language itself',
  'shared/base/csv.ts': 'characters that begin a formula',
  'renderer/runs/dialogs/sweep.ts': 'commas between values that a user types',
  'main/provision/diagnoses/packages.ts': 'what apt prints in Chinese',
  'main/provision/diagnoses/system.ts': 'what a Chinese shell prints of a killed process',
};

/** Where a reason in English may stand, and why. */
const mayHaveSentences: Readonly<Record<string, string>> = {
  'shared/metrics/metrics.ts': 'of a line that is counted and never shown',
};

describe('dictionary texts', () => {
  it('have the same keys in both languages', () => {
    expect(stems(chinese)).toEqual(stems(english));
  });

  it('are each in one dictionary: no part hides another', () => {
    const firsts = parts.flatMap((part) => Object.keys(part));
    expect(firsts).toHaveLength(new Set(firsts).size);
  });

  it('have the same parameters in both languages, with the same formats', () => {
    const params = (text: string): string[] =>
      [...new Set([...text.matchAll(/\{\{([^}]*)\}\}/g)].map(([, inside = '']) => inside))].sort();
    for (const [key, text] of chinese) {
      expect([key, params(text)]).toEqual([key, params(english.get(key) ?? '')]);
      // A parameter in single brackets would stand in the text as it is.
      expect([key, text, english.get(key)].join('\n').replace(/\{\{\w+(, \w+)?\}\}/g, '')).not.toMatch(
        /\{\w+\}/,
      );
    }
  });

  it('are never empty, and the Chinese ones are in Chinese', () => {
    const latin = /^[\s\p{P}\p{S}A-Za-z0-9{}]*$/u;
    const untranslated = [...chinese].filter(
      ([key, text]) =>
        latin.test(text) && text.replace(/\{\{[^}]*\}\}/g, '').length > 14 && text === english.get(key),
    );
    expect(untranslated).toEqual([]);
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
    const han = [...english].filter(([, text]) => /\p{Script=Han}/u.test(text)).map(([key]) => key);
    // A language's own name.
    expect(han).toEqual(['commands.name.otherLanguage']);
  });

  it.each([
    ['训练器', '训练程序'],
    ['自定义脚本', '自己的脚本'],
    ['恢复运行', '继续运行'],
    ['恢复该运行', '继续运行'],
    ['问题所在', '诊断'],
    ['失去连接', '无法连接'],
    ['rank 丢失', '失联'],
    ['丢失 rank', '失联'],
    ['丢失的 rank', '失联'],
    ['丢失的节点', '失联'],
    ['此计算机', '本机'],
    ['这台计算机', '本机'],
    ['比特', '位'],
    ['最近的 checkpoint', '检查点'],
    ['一个 epoch', '轮'],
    ['窃听', '中间人攻击'],
    ['节点的利用率', '资源使用'],
  ])('in Chinese say what the glossary says: not %s but %s', (other, term) => {
    const glossary = readFileSync(join(src, '..', 'docs', 'glossary.md'), 'utf8');
    expect(glossary).toContain(term);
    expect([...chinese].filter(([, text]) => text.includes(other))).toEqual([]);
  });

  it('exist for all keys in the code', () => {
    const known = new Set([...english.keys(), ...stems(english)]);
    const asked = [
      ...sources.matchAll(/\b(?:t|phrase)\(\s*['"]([A-Za-z0-9_.-]+)['"]/g),
      ...sources.matchAll(
        /\b(?:speak|words|say)\(\s*(?:[\w.()]+,\s*)?['"]([A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+)['"]/g,
      ),
    ].map(([, key = '']) => key);
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => !known.has(key))).toEqual([]);
  });

  it('are all used', () => {
    const unused = stems(english).filter((key) => !whole.has(key) && !patterns.some((one) => one.test(key)));
    expect(unused).toEqual([]);
  });

  it('are in the dictionaries only', () => {
    const elsewhere = files.flatMap(({ path, text }) =>
      isDictionary(path) || Object.hasOwn(mayHaveChinese, path)
        ? []
        : text
            .split('\n')
            .flatMap((line, at) =>
              chineseLetter.test(line) ? [`src/${path}:${at + 1}: ${line.trim()}`] : [],
            ),
    );
    expect(elsewhere).toEqual([]);
    const gone = Object.keys(mayHaveChinese).filter(
      (path) => !chineseLetter.test(files.find((file) => file.path === path)?.text ?? ''),
    );
    expect(gone).toEqual([]);
  });

  it('are not passed as English parameters of errors, which would appear in Chinese texts', () => {
    const sentence = /\b(?:reason|remedy|problem|advice)(?::| =) *(['"`])[^'"`]*[a-z’] [a-z][^'"`]*\1/g;
    const found = files.flatMap(({ path, text }) =>
      isDictionary(path) || Object.hasOwn(mayHaveSentences, path)
        ? []
        : [...text.matchAll(sentence)].map(([said]) => `src/${path}: ${said}`),
    );
    expect(found).toEqual([]);
  });

  it('are phrases in the log of a step, where only commands and what programs print are as they are', () => {
    const words = String.raw`[^'"\`]*[a-z’] [a-z][^'"\`]*`;
    const programs = 'apt-get|import|ringlab-train|sbatch|uv';
    const sentence = new RegExp(
      String.raw`\b(?:log(?:\.add)?\(\s*|label: )(['"\`])(?!(?:${programs}) )${words}\1`,
      'g',
    );
    const found = files.flatMap(({ path, text }) =>
      /^main\/(?:provision|transfer)\//.test(path)
        ? [...text.matchAll(sentence)].map(([said]) => `src/${path}: ${said}`)
        : [],
    );
    expect(found).toEqual([]);
  });
});
