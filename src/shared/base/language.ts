/** The languages of the app. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

/** Each in itself, as a list of languages shows it. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };
