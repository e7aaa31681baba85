/** The user's settings, as the store keeps them. */
import { Settings } from '../../shared/contract/api.ts';
import type { Store } from '../store/index.ts';

export const defaultSettings: Settings = {
  language: 'system',
  theme: 'system',
  notifications: true,
};

/** As they were kept, with what is new since then at its default. */
export async function readSettings(store: Pick<Store, 'getSetting'>): Promise<Settings> {
  const kept = await store.getSetting('settings');
  if (kept === undefined) return defaultSettings;
  const parsed = Settings.partial().safeParse(JSON.parse(kept));
  return { ...defaultSettings, ...(parsed.success ? parsed.data : {}) } as Settings; // partial over a whole one is whole
}
