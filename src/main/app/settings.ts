/** The user's settings, as the store keeps them. */
import { Settings } from '../../shared/contract/api.ts';
import type { EventLog } from '../base/events.ts';
import type { Store } from '../store/index.ts';

const defaultSettings: Settings = {
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

/** zod gives `undefined` for an absent field, which must not overwrite. */
type Change = { readonly [K in keyof Settings]?: Settings[K] | undefined };

/** Keeps the change and announces the whole. */
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
