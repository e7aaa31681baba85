// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import { notifyOnDesktop } from './desktop-notice.ts';
import { closeLab, showLab } from './lab.ts';
import { useRunStore } from './runs.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  closeLab();
  history.replaceState(null, '', '/');
});

it('several hidden pages show one notification of an event: theirs have one tag, those of others have another', () => {
  const tags: unknown[] = [];
  vi.stubGlobal(
    'Notification',
    class {
      onclick = (): void => undefined;
      constructor(_: string, { tag }: NotificationOptions) {
        tags.push(tag);
      }
    },
  );
  const run = { id: 'a1', labId: 'a', name: 'Mine' };
  for (const body of ['N2 was lost', 'N2 was lost', 'has finished']) notifyOnDesktop(run, body);
  notifyOnDesktop({ ...run, id: 'a2' }, 'has finished');
  expect(tags[1]).toBe(tags[0]);
  expect(tags[0]).toBeTruthy();
  expect(new Set(tags).size).toBe(3);
});

it('a click on a notification shows its run: of another lab by the address, which opens that lab first', () => {
  const notices: { onclick: () => void }[] = [];
  vi.stubGlobal(
    'Notification',
    class {
      onclick = (): void => undefined;
      constructor() {
        notices.push(this);
      }
    },
  );
  vi.spyOn(window, 'focus').mockImplementation(() => undefined);
  showLab({ lab: emptyLab('a', 'A'), revision: 1, path: '/a', issues: [] });
  notifyOnDesktop({ id: 'a1', labId: 'a', name: 'Mine' }, 'has finished');
  notifyOnDesktop({ id: 'b1', labId: 'b', name: 'Other' }, 'has finished');
  notices[0]?.onclick();
  expect(useRunStore.getState().shown).toEqual({ a: 'a1' });
  expect(location.hash).toBe('');
  notices[1]?.onclick();
  expect(location.hash).toBe('#lab=b&run=b1');
  expect(useRunStore.getState().shown).toEqual({ a: 'a1' });
});
