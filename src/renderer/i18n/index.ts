/** The window's own texts, beside those of src/shared/i18n, and its language. Keys are typed. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../shared/base/language.ts';
import type { en as sharedWords } from '../../shared/i18n/en/index.ts';
import { addWords, codes } from '../../shared/i18n/say.ts';
import { en } from './en/index.ts';
import { zh } from './zh/index.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en & typeof sharedWords };
    returnNull: false;
  }
}

/** The dictionaries are part of the bundle, so that the window has its texts at once. */
export async function startI18n(language: Language): Promise<void> {
  addWords(en, zh);
  initReactI18next.init(i18next);
  await i18next.changeLanguage(codes[language]);
}

export async function setLanguage(language: Language): Promise<void> {
  if (i18next.language !== codes[language]) await i18next.changeLanguage(codes[language]);
  document.documentElement.lang = language;
}
