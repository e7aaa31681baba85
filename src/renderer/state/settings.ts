/** Language and theme: the user's choice, and the resolved values on this computer. */
import { create } from 'zustand';
import type { Settings } from '../../shared/contract/api.ts';
import type { Language } from '../../shared/base/language.ts';

export const useSettingsStore = create<Settings>(() => ({
  language: 'system',
  theme: 'system',
  notifications: true,
}));

export const putSettings = (settings: Settings): void => useSettingsStore.setState(settings);

export const resolveLanguage = (
  chosen: Settings['language'],
  preferred: readonly string[] = navigator.languages,
): Language => {
  if (chosen !== 'system') return chosen;
  const first = preferred.find((tag) => /^(zh|en)\b/i.test(tag));
  return first !== undefined && /^zh/i.test(first) ? 'zh-CN' : 'en';
};

export const useLanguage = (): Language => useSettingsStore((state) => resolveLanguage(state.language));
