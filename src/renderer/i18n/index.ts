/** The window's languages. Keys are typed: `t('shell.runExperiment')`. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../shared/base/language.ts';
import { en } from './en/index.ts';
import { zh } from './zh/index.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** Starts i18next; the resources are part of the bundle, so that it is ready at once. */
export async function startI18n(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en }, 'zh-CN': { translation: zh } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
}

export async function setLanguage(language: Language): Promise<void> {
  if (i18next.language !== language) await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
