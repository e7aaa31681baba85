/** Reads and changes the user's settings in the store. */
import * as z from 'zod';
import { Settings } from '../../shared/contract/api.ts';
import type { EventLog } from '../base/events.ts';
import type { Store } from '../store/index.ts';

const defaultSettings: Settings = {
  language: 'system',
  theme: 'system',
  notifications: true,
};

/** Each by itself: one that is missing, or that another version or a person wrote, has its default, and the others stay. */
const StoredSettings = z
  .object({
    language: Settings.shape.language.catch(defaultSettings.language),
    theme: Settings.shape.theme.catch(defaultSettings.theme),
    notifications: Settings.shape.notifications.catch(defaultSettings.notifications),
  })
  .catch(defaultSettings);

/** The stored settings; those that are missing or invalid have their default. */
export async function readSettings(store: Pick<Store, 'getSetting'>): Promise<Settings> {
  const kept = await store.getSetting('settings');
  try {
    return StoredSettings.parse(JSON.parse(kept ?? '{}'));
  } catch {
    // No JSON.
    return defaultSettings;
  }
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
