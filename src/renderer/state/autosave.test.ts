// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { hello, standIn, type Answers } from '../api/client.fixture.ts';
import {
  autosave,
  decideConflict,
  followRemoteLab,
  openOther,
  retryDelay,
  saveDelay,
  saveNow,
} from './autosave.ts';
import { closeLab, editLab, select, showLab, useLabStore } from './lab.ts';
import { newNode } from './new-parts.ts';

const open = (lab: LabDocument, revision: number) => ({ lab, revision, path: '/l', issues: [] });
const rename = (name: string) => editLab({ type: 'lab', change: { name } });
const state = () => useLabStore.getState();
let stop: (() => void) | undefined;

function start(answers: Answers) {
  const stand = standIn(answers);
  stop = autosave(stand.client);
  showLab(open(emptyLab('lab', 'A'), 3));
  return stand;
}
const accept: Answers['lab.save'] = ({ lab, revision }) => open(lab, revision + 1);

beforeEach(() => {
  vi.useFakeTimers();
  closeLab();
});
afterEach(() => {
  stop?.();
  vi.useRealTimers();
});

describe('autosave', () => {
  it('saves once, a little after the last of several edits', async () => {
    const { calls } = start({ 'lab.save': accept });
    rename('B');
    await vi.advanceTimersByTimeAsync(saveDelay - 50);
    rename('Bo');
    expect(state().save.state).toBe('unsaved');
    await vi.advanceTimersByTimeAsync(saveDelay - 50);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(60);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.args).toMatchObject({ revision: 3, lab: { name: 'Bo' } });
    expect(state()).toMatchObject({ revision: 4, save: { state: 'saved' } });
  });

  it('does not save a lab that was only opened', async () => {
    const { calls } = start({ 'lab.save': accept });
    await vi.advanceTimersByTimeAsync(5000);
    expect(calls).toEqual([]);
  });

  it('saves one at a time, and later edits right after', async () => {
    const waiting: (() => void)[] = [];
    const { client, calls } = start({
      'lab.save': async (args) => {
        await new Promise<void>((go) => waiting.push(go));
        return open(args.lab, args.revision + 1);
      },
    });
    rename('B');
    const saved = saveNow(client);
    rename('C');
    await vi.advanceTimersByTimeAsync(2 * saveDelay);
    expect(calls).toHaveLength(1);
    waiting.shift()?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.args).toMatchObject({ revision: 4, lab: { name: 'C' } });
    waiting.shift()?.();
    await saved;
    expect(state()).toMatchObject({ revision: 5, save: { state: 'saved' } });
  });

  it('keeps everything when saving fails, reports it, and retries', async () => {
    let full = true;
    const { calls } = start({
      'lab.save': (args) => {
        if (full) throw new RinglabError('local_disk_full', { path: '/l' });
        return open(args.lab, args.revision + 1);
      },
    });
    rename('B');
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state().save).toMatchObject({ state: 'failed', error: { code: 'local_disk_full' } });
    expect(state().lab?.name).toBe('B');
    full = false;
    await vi.advanceTimersByTimeAsync(retryDelay);
    expect(calls).toHaveLength(2);
    expect(state().save.state).toBe('saved');
  });

  it('stops at a conflict until the user decides; a copy keeps ours', async () => {
    const theirs = { ...emptyLab('lab', 'Theirs') };
    const { client, calls } = start({
      'lab.save': () => {
        throw new RinglabError('lab_conflict');
      },
      'lab.open': () => open(theirs, 9),
      // The fake main parses the text as the real one would.
      'lab.import': ({ text, own }) => ({
        ...open({ ...(JSON.parse(text) as LabDocument), id: 'copy' }, 1),
        dropped: own === true ? [] : ['what names files of this computer'],
      }),
    });
    rename('Mine');
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state().save).toEqual({ state: 'conflict', stored: 'newer' });
    rename('Mine too');
    await vi.advanceTimersByTimeAsync(10 * retryDelay);
    expect(calls.filter((call) => call.name === 'lab.save')).toHaveLength(1);
    await decideConflict(client, 'copy', 'Mine (copy)');
    expect(state()).toMatchObject({ lab: { id: 'copy', name: 'Mine (copy)' }, save: { state: 'saved' } });
    showLab(open(emptyLab('lab', 'A'), 3));
    await decideConflict(client, 'reload', '');
    expect(state()).toMatchObject({ lab: { name: 'Theirs' }, revision: 9 });
  });

  it.each([
    ['not_found', 'gone'],
    ['lab_unreadable', 'unreadable'],
    ['lab_invalid', 'unreadable'],
    ['lab_newer', 'unreadable'],
  ] as const)('asks where saving never succeeds again: %s', async (code, stored) => {
    const { client, calls } = start({
      'lab.save': ({ lab, revision }) => {
        if (lab.id === 'lab') throw new RinglabError(code);
        return open(lab, revision + 1);
      },
      'lab.import': ({ text }) => ({
        ...open({ ...(JSON.parse(text) as LabDocument), id: 'copy' }, 1),
        dropped: [],
      }),
    });
    rename('Mine');
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state().save).toEqual({ state: 'conflict', stored });
    await vi.advanceTimersByTimeAsync(10 * retryDelay);
    expect(calls.filter((call) => call.name === 'lab.save')).toHaveLength(1);
    await decideConflict(client, 'copy', 'Mine');
    expect(state()).toMatchObject({ lab: { id: 'copy', name: 'Mine' }, save: { state: 'saved' } });
    showLab(open(emptyLab('lab', 'A'), 3));
    rename('Mine');
    await vi.advanceTimersByTimeAsync(saveDelay);
    await decideConflict(client, 'close', '');
    expect(state().lab).toBeUndefined();
    // Nothing unsaved stands in the way of another lab.
    await saveNow(client);
  });

  it('asks again where the version that is to be loaded is gone, too', async () => {
    const { client } = start({
      'lab.save': () => {
        throw new RinglabError('lab_conflict');
      },
      'lab.open': () => {
        throw new RinglabError('not_found');
      },
    });
    rename('Mine');
    await vi.advanceTimersByTimeAsync(saveDelay);
    await expect(decideConflict(client, 'reload', '')).rejects.toMatchObject({ code: 'not_found' });
    expect(state()).toMatchObject({ lab: { name: 'Mine' }, save: { state: 'conflict', stored: 'gone' } });
  });

  /** Main stores the first save, and the connection breaks before its answer; then others may save, too. */
  async function loseAnswer(meanwhile: (stored: { lab: LabDocument; revision: number }) => void) {
    let stored = { lab: emptyLab('lab', 'A'), revision: 3 };
    let isBroken = false;
    const stand = start({
      'lab.open': () => open(stored.lab, stored.revision),
      'lab.save': ({ lab, revision }) => {
        if (revision !== stored.revision) throw new RinglabError('lab_conflict');
        stored = { lab, revision: revision + 1 };
        if (!isBroken) {
          isBroken = true;
          return new Promise(() => undefined);
        }
        return open(lab, stored.revision);
      },
    });
    rename('B');
    await vi.advanceTimersByTimeAsync(saveDelay);
    stand.setStatus({ state: 'lost', everOpen: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(state().save).toMatchObject({ state: 'failed', error: { code: 'connection_lost' } });
    rename('Bo');
    meanwhile(stored);
    stand.setStatus({ state: 'open', everOpen: true });
    stand.receive(hello(0));
    await vi.advanceTimersByTimeAsync(2 * retryDelay);
    return stored;
  }

  it('takes no save of its own, of which it missed the answer, for one of another window', async () => {
    const stored = await loseAnswer(() => undefined);
    expect(state()).toMatchObject({ lab: { name: 'Bo' }, revision: 5, save: { state: 'saved' } });
    expect(stored).toMatchObject({ lab: { name: 'Bo' }, revision: 5 });
  });

  it('asks where another window has saved after a save whose answer was missed', async () => {
    const theirs = await loseAnswer((stored) => {
      stored.lab = emptyLab('lab', 'Theirs');
      stored.revision += 1;
    });
    expect(state()).toMatchObject({ lab: { name: 'Bo' }, save: { state: 'conflict', stored: 'newer' } });
    expect(theirs.lab.name).toBe('Theirs');
  });

  it('shows what another window saved, but never over an edit of ours', async () => {
    const { client, calls } = start({
      'lab.open': () => open(emptyLab('lab', 'Theirs'), 4),
      'lab.save': accept,
    });
    await followRemoteLab(client, 3);
    expect(calls).toEqual([]);
    await followRemoteLab(client, 4);
    expect(state()).toMatchObject({ lab: { name: 'Theirs' }, revision: 4 });
    rename('Mine');
    await followRemoteLab(client, 5);
    expect(state().lab?.name).toBe('Mine');
  });

  it('keeps what is selected, of what another window saved', async () => {
    const node = (id: string): LabDocument['nodes'][number] => ({
      ...newNode(emptyLab('lab', 'A'), 'cpu', { x: 0, y: 0 }, false),
      id,
    });
    const before = { ...emptyLab('lab', 'A'), nodes: [node('a'), node('b')] };
    const { client } = start({
      'lab.open': () => open({ ...before, name: 'B', nodes: [node('b'), node('c')] }, 4),
    });
    showLab(open(before, 3));
    select({ nodes: ['a', 'b'], links: [] });
    await followRemoteLab(client, 4);
    expect(state()).toMatchObject({ revision: 4, lab: { name: 'B' }, selection: { nodes: ['b'] } });
  });

  it('saves what is typed while another lab is being opened, and shows that one as it is then', async () => {
    const saved: string[] = [];
    let revision = 1;
    const { client } = start({
      'lab.save': (args) => {
        saved.push(`${args.lab.id} ${args.lab.name}`);
        return open(args.lab, args.revision + 1);
      },
      'lab.open': async () => {
        const answer = open(emptyLab('other', 'Other'), revision);
        await new Promise((go) => setTimeout(go, 300));
        return answer;
      },
    });
    const opened = openOther(client, () => client.call('lab.open', { labId: 'other' }));
    await vi.advanceTimersByTimeAsync(100);
    rename('Typed');
    // Another page saves the other lab.
    revision = 2;
    await vi.advanceTimersByTimeAsync(2000);
    await opened;
    expect(saved).toEqual(['lab Typed']);
    expect(state()).toMatchObject({ lab: { id: 'other' }, revision: 2, save: { state: 'saved' } });
  });

  it('stays at a lab whose newest edit cannot be saved', async () => {
    let full = false;
    const { client } = start({
      'lab.save': (args) => {
        if (full) throw new RinglabError('local_disk_full', { path: '/l' });
        return open(args.lab, args.revision + 1);
      },
    });
    const opened = openOther(client, () => {
      full = true;
      rename('Typed');
      return Promise.resolve(open(emptyLab('other', 'Other'), 1));
    });
    await expect(opened).rejects.toMatchObject({ code: 'local_disk_full' });
    expect(state()).toMatchObject({ lab: { id: 'lab', name: 'Typed' }, save: { state: 'failed' } });
  });
});
