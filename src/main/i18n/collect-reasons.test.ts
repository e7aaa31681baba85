import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import i18next from 'i18next';
import { expect, it } from 'vitest';
import { outputs } from '../../renderer/i18n/en/outputs.ts';
import { script as chinese } from '../../renderer/i18n/zh/script.ts';
import { namedPatternReason, patternReason } from '../../renderer/ui/pattern-reason.ts';
import { reasonKey } from '../../renderer/runs/detail/collect-reason.ts';

const collect = fileURLToPath(new URL('../../../native/collect', import.meta.url));

it('has words for each reason of the collector, and no other', () => {
  const sources = readdirSync(collect, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => readFileSync(join(collect, name), 'utf8'));
  // A reason: a text with a space, given to what reports a problem.
  const said = sources.flatMap((source) =>
    [...source.matchAll(/problem\((?:[\w.>()-]+, |"", )?"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"/g)].map(
      ([, text = '']) => text,
    ),
  );
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((reason) => reasonKey(reason) === undefined)).toEqual([]);
  const all = sources.join('\n');
  expect(Object.values(outputs.reasons).filter((reason) => !all.includes(`"${reason}"`))).toEqual([]);
});

it('has words for what is wrong with a pattern', async () => {
  const said = readdirSync(join(collect, 'patterns'))
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => readFileSync(join(collect, 'patterns', name), 'utf8'))
    .flatMap((source) => [...source.matchAll(/(?:fail|PatternError)\("((?:[^"\\]|\\.)+)"\)/g)])
    .map(([, text = '']) => text.replaceAll('\\\\', '\\'));
  expect(said.length).toBeGreaterThan(10);
  const i18n = i18next.createInstance();
  await i18n.init({
    lng: 'zh',
    resources: { zh: { translation: { script: chinese } } },
    interpolation: { escapeValue: false },
  });
  const words = said.map((reason) => patternReason(reason, i18n.t));
  expect(words.filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([]);
  expect(patternReason('nothing to repeat before + at character 3', i18n.t)).toBe(
    '第 3 个字符处：+ 之前没有可重复的内容',
  );
  expect(patternReason(String.raw`\b is not supported at character 1`, i18n.t)).toBe(
    String.raw`第 1 个字符处：不支持 \b`,
  );
  expect(namedPatternReason("pattern 'dice': a ( without ) at character 5", i18n.t)).toBe(
    '模式“dice”：第 5 个字符处：( 缺少对应的 )',
  );
  expect(patternReason('of another version', i18n.t)).toBe('of another version');
});
