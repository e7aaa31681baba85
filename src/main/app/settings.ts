/** Reads and changes the user's settings in the store. */
import { Settings } from '../../shared/contract/api.ts';
import type { EventLog } from '../base/events.ts';
import type { Store } from '../store/index.ts';

const defaultSettings: Settings = {
  language: 'system',
  theme: 'system',
  notifications: true,
};

/** The stored settings; those that are missing have their default. */
export async function readSettings(store: Pick<Store, 'getSetting'>): Promise<Settings> {
  const kept = await store.getSetting('settings');
  if (kept === undefined) return defaultSettings;
  const parsed = Settings.partial().safeParse(JSON.parse(kept));
  return { ...defaultSettings, ...(parsed.success ? parsed.data : {}) } as Settings; // A partial object spread over a complete one is complete.
}

/** zod returns `undefined` for an absent field, which must not overwrite the stored value. */
type Change = { readonly [K in keyof Settings]?: Settings[K] | undefined };

/** Stores the change and publishes all settings. */
export async function changeSettings(
  store: Pick<Store, 'getSetting' | 'setSetting'>,
  events: EventLog,
  change: Change,
): Promise<Settings> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const next = { ...(await readSettings(store)), ...given };
  await store.setSetting('settings', JSON.stringify(next));
  events.emit('settings.changed', { settings: next });
  return next;
}
