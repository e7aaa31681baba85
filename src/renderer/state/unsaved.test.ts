// @vitest-environment jsdom
/** Two pages of a browser, which share its storage, on one lab. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { standIn } from '../api/client.fixture.ts';

/** The locks of living pages. */
let held: string[] = [];
/** What main has stored. */
let stored = { lab: emptyLab('lab', 'L'), revision: 1 };

beforeEach(() => {
  localStorage.clear();
  held = [];
  stored = { lab: emptyLab('lab', 'L'), revision: 1 };
  vi.useFakeTimers();
  vi.stubGlobal('navigator', {
    locks: {
      request: (name: string) => {
        held.push(name);
        return new Promise(() => undefined);
      },
      query: () => Promise.resolve({ held: held.map((name) => ({ name })), pending: [] }),
    },
  });
});

interface Page {
  /** Opens the lab, as the user does. */
  open(): Promise<void>;
  rename(name: string): void;
  /** Another page has saved. */
  follow(): Promise<void>;
  name(): string | undefined;
  save(): string;
  /** Closed, or crashed: what it has not saved by now it never will. */
  end(): void;
}

/** A page has its modules for itself. */
async function newPage(): Promise<Page> {
  vi.resetModules();
  const before = new Set(held);
  const { autosave, followRemoteLab } = await import('./autosave.ts');
  const { editLab, showLab, useLabStore } = await import('./lab.ts');
  const { lostCopies } = await import('./unsaved.ts');
  const opened = (lab: LabDocument, revision: number) => ({ lab, revision, path: '/l', issues: [] });
  const { client } = standIn({
    'lab.open': () => opened(stored.lab, stored.revision),
    'lab.save': ({ lab }) => {
      stored = { lab, revision: stored.revision + 1 };
      return opened(lab, stored.revision);
    },
  });
  const stop = autosave(client);
  const ours = held.filter((name) => !before.has(name));
  return {
    async open() {
      const lost = await lostCopies();
      showLab(await client.call('lab.open', { labId: 'lab' }), lost);
    },
    rename: (name) => editLab({ type: 'lab', change: { name } }),
    follow: () => followRemoteLab(client, stored.revision),
    name: () => useLabStore.getState().lab?.name,
    save: () => useLabStore.getState().save.state,
    end() {
      stop();
      held = held.filter((name) => !ours.includes(name));
    },
  };
}

/** Long enough for the copy in the browser, too short for a save. */
const untilKept = () => vi.advanceTimersByTimeAsync(100);
const untilSaved = () => vi.advanceTimersByTimeAsync(1000);

describe('what a page has not saved yet', () => {
  it('is no edit of another page that shows what was saved before', async () => {
    const [typing, passive] = [await newPage(), await newPage()];
    await typing.open();
    await passive.open();
    typing.rename('Ly');
    await untilSaved();
    typing.rename('Lyon');
    await untilKept();
    await passive.follow();
    expect(passive.name()).toBe('Ly');
    expect(passive.save()).toBe('saved');
    await untilSaved();
    expect(stored).toMatchObject({ revision: 3, lab: { name: 'Lyon' } });
  });

  it('is no edit of a page that opens the lab meanwhile, and is not lost by it', async () => {
    const typing = await newPage();
    await typing.open();
    typing.rename('Lyon');
    await untilKept();
    const other = await newPage();
    await other.open();
    expect(other.name()).toBe('L');
    other.end();
    typing.end();
    const next = await newPage();
    await next.open();
    expect(next.name()).toBe('Lyon');
  });

  it('is found by the next page after a crash, saved by it, and then forgotten', async () => {
    const first = await newPage();
    await first.open();
    first.rename('Lyon');
    await untilKept();
    first.end();
    const second = await newPage();
    await second.open();
    expect(second.name()).toBe('Lyon');
    // It crashes before it can save.
    second.end();
    const third = await newPage();
    await third.open();
    expect(third.name()).toBe('Lyon');
    await untilSaved();
    expect(stored.lab.name).toBe('Lyon');
    expect(localStorage).toHaveLength(0);
  });

  it('is given up where the lab has been saved since', async () => {
    const first = await newPage();
    await first.open();
    first.rename('Lyon');
    await untilKept();
    first.end();
    stored = { lab: emptyLab('lab', 'Theirs'), revision: 2 };
    const second = await newPage();
    await second.open();
    expect(second.name()).toBe('Theirs');
    expect(localStorage).toHaveLength(0);
  });

  it('does not fill the storage with labs that nobody opens again', async () => {
    for (let number = 0; number < 12; number += 1)
      localStorage.setItem(
        `ringlab.unsaved.${number}`,
        JSON.stringify({ revision: 1, at: number, lab: emptyLab(`old-${number}`, 'Old') }),
      );
    const page = await newPage();
    await page.open();
    expect(Object.keys(localStorage).sort()).toEqual(
      [10, 11, 4, 5, 6, 7, 8, 9].map((number) => `ringlab.unsaved.${number}`),
    );
  });
});
