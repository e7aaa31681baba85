/** The languages of the app. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];
