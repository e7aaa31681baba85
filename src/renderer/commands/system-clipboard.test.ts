// @vitest-environment jsdom
import { t } from 'i18next';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { addNode, copySelected, shareCopies, showLab, selectAll, useLabStore } from '../state/index.ts';
import { canPaste, paste, writeCopy } from './system-clipboard.ts';

const lab = (): LabDocument => useLabStore.getState().lab!;
const names = (): string[] => lab().nodes.map(({ name }) => name);
const open = (): void => showLab({ lab: emptyLab('lab', 'Lab'), path: '', revision: 1, issues: [] });
/** A copy of one node of this name, as another program's window has it. */
function copyOf(name: string): string {
  open();
  addNode('cpu', { x: 0, y: 0 });
  selectAll();
  const text = copySelected() ?? '';
  open();
  return text.replace('"N1"', JSON.stringify(name));
}
function browserAllows(readText: () => Promise<string>): void {
  vi.stubGlobal('navigator', { clipboard: { readText, writeText: () => Promise.reject(new Error()) } });
}

beforeEach(open);
afterEach(() => vi.unstubAllGlobals());

describe('Paste of a menu', () => {
  it('is what the clipboard holds, as with the keys, and not the window’s own older copy', async () => {
    const theirs = copyOf('theirs');
    browserAllows(() => Promise.resolve(theirs));
    await paste({ t });
    expect(names()).toEqual(['theirs']);
    browserAllows(() => Promise.resolve('other text'));
    await paste({ t });
    expect(names()).toEqual(['theirs']);
  });

  it('is the newest copy where the browser does not allow to read the clipboard, or has none', async () => {
    copyOf('N1');
    browserAllows(() => Promise.reject(new DOMException('', 'NotAllowedError')));
    await paste({ t });
    vi.stubGlobal('navigator', { clipboard: undefined });
    writeCopy('');
    expect(canPaste()).toBe(true);
    await paste({ t });
    expect(names()).toEqual(['N1', 'N2']);
  });

  it('is the newest copy of another window', async () => {
    const stop = shareCopies();
    const other = new BroadcastChannel('ringlab.copies');
    const heard: unknown[] = [];
    other.addEventListener('message', ({ data }) => heard.push(data));
    try {
      const text = copyOf('N1');
      await expect.poll(() => heard).toEqual([{ copied: text }]);
      other.postMessage('ask');
      await expect.poll(() => heard.length).toBe(2);
      other.postMessage({ copied: text.replace('"N1"', '"theirs"') });
      vi.stubGlobal('navigator', { clipboard: undefined });
      await expect
        .poll(async () => {
          open();
          await paste({ t });
          return names();
        })
        .toEqual(['theirs']);
    } finally {
      other.close();
      stop();
    }
  });
});
