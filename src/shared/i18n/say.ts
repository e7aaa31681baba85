/**
 * User-facing text: an i18next instance with the dictionaries of `en/` and `zh/` here; main (`src/main/i18n`) and the
 * window (`src/renderer/i18n`) add their own. Ready as soon as it is imported.
 */
import i18next from 'i18next';
import type { Language } from '../base/language.ts';
import { en } from './en/index.ts';
import { comma as englishComma } from './en/quantity.ts';
import { isPhrase, plain, type Phrase } from '../base/phrase.ts';
import { formatBytes } from './quantity.ts';
import type { Dictionary, Keys, Parameters, Value, Words } from './words.ts';
import { zh } from './zh/index.ts';
import { comma as chineseComma } from './zh/quantity.ts';

/** What i18next calls them. A name with a hyphen it checks with Intl, which takes 10 ms of a command's start. */
export const codes: Readonly<Record<Language, string>> = { en: 'en', 'zh-CN': 'zh' };

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: { ...en } }, zh: { translation: { ...zh } } },
  interpolation: { escapeValue: false },
  returnNull: false,
  // oxlint-disable-next-line typescript/no-deprecated -- Its default asks Intl at the start, see above.
  cleanCode: false,
  initAsync: false,
});

const languageOf = (name: string | undefined): Language => (name === codes['zh-CN'] ? 'zh-CN' : 'en');
const { formatter } = i18next.services;
if (formatter === undefined) throw new Error('i18next has no formatter');
/** `{{free, bytes}}`: an amount of data in the largest unit that fits. */
formatter.add('bytes', (value: unknown, language) =>
  typeof value === 'number' ? formatBytes(value, languageOf(language)) : String(value),
);
/** `{{names, joined}}`: with the language's own comma. */
formatter.add('joined', (value: unknown, language) =>
  Array.isArray(value)
    ? value.join(languageOf(language) === 'en' ? englishComma : chineseComma)
    : String(value),
);

const inLanguage = (value: Value | undefined, language: Language): unknown =>
  isPhrase(value)
    ? value[language]
    : typeof value === 'object'
      ? value.map((one) => inLanguage(one, language))
      : value;

/** Parameters may come from a node or a file: i18next must treat them as values only, never as options or templates. */
function fill(
  language: Language,
  key: string,
  parameters: Readonly<Record<string, Value | undefined>> = {},
  missing: Phrase = plain('?'),
): string {
  const values = Object.entries(parameters).map(([name, value]) => [name, inLanguage(value, language)]);
  // The window narrows `t` to its own keys; here the callers' types have checked the key.
  const translate = i18next.t as unknown as (key: string, options: object) => string;
  return translate(key, {
    lng: codes[language],
    replace: Object.fromEntries(values) as object,
    nest: false,
    missingInterpolationHandler: () => missing[language],
  });
}

export interface Speaker<T> {
  /** The text in one language. A missing parameter is shown as ‘?’. */
  say<Key extends Keys<T>>(language: Language, key: Key, ...parameters: Parameters<T, Key>): string;
  /** `say` in one language that is known beforehand. */
  within(language: Language): <Key extends Keys<T>>(key: Key, ...parameters: Parameters<T, Key>) => string;
  /** The text in every language. */
  phrase<Key extends Keys<T>>(key: Key, ...parameters: Parameters<T, Key>): Phrase;
}

const speaker = <T>(): Speaker<T> => ({
  say: (language, key, ...[parameters, missing]) => fill(language, key, parameters, missing),
  within:
    (language) =>
    (key, ...[parameters, missing]) =>
      fill(language, key, parameters, missing),
  phrase: (key, ...[parameters, missing]) => ({
    en: fill('en', key, parameters, missing),
    'zh-CN': fill('zh-CN', key, parameters, missing),
  }),
});

export const { say, phrase } = speaker<typeof en>();

/** Adds dictionaries whose top-level keys must be unique. The result has their keys and those of this folder. */
export function addWords<T extends Dictionary>(english: T, chinese: Words<T>): Speaker<T & typeof en> {
  i18next.addResourceBundle(codes.en, 'translation', english, false, true, { skipCopy: true });
  i18next.addResourceBundle(codes['zh-CN'], 'translation', chinese, false, true, { skipCopy: true });
  return speaker<T & typeof en>();
}
