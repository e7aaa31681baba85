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
