/** The languages of the app. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

/** Each language's name in that language, for the list of languages. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };
