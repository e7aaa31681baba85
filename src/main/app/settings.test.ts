import { expect, it } from 'vitest';
import { createEventLog } from '../base/events.ts';
import { changeSettings, readSettings } from './settings.ts';

const defaults = { language: 'system', theme: 'system', notifications: true };
const read = (kept: string | undefined) => readSettings({ getSetting: () => Promise.resolve(kept) });

it.each([
  ['nothing stored', undefined, defaults],
  ['no JSON, as after an edit by hand', '{"theme":"dark",}', defaults],
  ['no settings', '[1]', defaults],
  ['some of them', '{"theme":"dark"}', { ...defaults, theme: 'dark' }],
  [
    'one that is unknown here',
    '{"language":"zh-CN","theme":"blue","notifications":false}',
    { language: 'zh-CN', theme: 'system', notifications: false },
  ],
])('reads %s: what is missing or invalid has its default, and no other', async (_, kept, expected) => {
  expect(await read(kept)).toEqual(expected);
});

it('a change is stored with the others, also over what cannot be read', async () => {
  let kept = '{"theme":"dark",}';
  const store = {
    getSetting: () => Promise.resolve(kept),
    setSetting: (_: string, value: string) => {
      kept = value;
      return Promise.resolve();
    },
  };
  await changeSettings(store, createEventLog(), { language: 'zh-CN', theme: undefined });
  expect(await readSettings(store)).toEqual({ ...defaults, language: 'zh-CN' });
});
