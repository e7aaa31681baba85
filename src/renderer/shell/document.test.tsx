// @vitest-environment jsdom
/** Whatever is typed, moved or shown, the document stays one that can be saved, undone and told from another. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { EditorView } from '@codemirror/view';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { notFound, RinglabError } from '../../shared/base/errors.ts';
import { emptyLab, LabDocument, type Experiment } from '../../shared/lab/lab.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import {
  addAnnotation,
  closeLab,
  openScript,
  saveNow,
  select,
  showLab,
  undoEdit,
  useLabStore,
  useWindowStore,
} from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
const lab = () => useLabStore.getState().lab!;
beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  openScript(undefined);
  document.body.replaceChildren();
});

const showOther = (): void => {
  const other = emptyLab('other', 'Other');
  act(() =>
    showLab({
      lab: { ...other, experiment: { ...other.experiment, script } },
      path: '/o',
      revision: 1,
      issues: [],
    }),
  );
};
const script: Experiment['script'] = { source: { type: 'folder', path: '/b' }, file: 'b.py', arguments: '' };

it('a name and a note with characters that no document takes are cleaned, and saved', async () => {
  opened = await openWindow(labOf(['N1']));
  const name = await screen.findByRole('textbox', { name: 'Name of the lab' });
  fireEvent.change(name, { target: { value: 'my\tlab \u2028' } });
  act(() => addAnnotation('note', { x: 0, y: 0 }));
  fireEvent.change(await screen.findByPlaceholderText('Write a note'), {
    target: { value: 'a\u000bb\n\u2029c' },
  });
  expect(LabDocument.safeParse(lab()).error).toBeUndefined();
  await act(() => saveNow(opened!.client));
  expect(opened.stored()).toMatchObject({ name: 'my lab  ', annotations: [{ text: 'ab\n\nc' }] });
});

it('a key that an input method takes while it composes, as for Chinese, ends no field', async () => {
  opened = await openWindow(labOf(['N1']));
  const name = await screen.findByRole('textbox', { name: 'Name of the lab' });
  act(() => addAnnotation('note', { x: 0, y: 0 }));
  const note = await screen.findByPlaceholderText('Write a note');
  fireEvent.keyDown(note, { key: 'Escape', isComposing: true });
  expect(screen.queryByPlaceholderText('Write a note')).toBe(note);
  act(() => select({ nodes: ['n1'], links: [] }));
  const ofNode = await screen.findByRole('textbox', { name: 'Name' });
  for (const field of [name, ofNode]) {
    act(() => field.focus());
    for (const key of ['Enter', 'Escape']) fireEvent.keyDown(field, { key, isComposing: true });
    expect(document.activeElement).toBe(field);
  }
});

it('what is drawn in a lab whose file is gone is kept as a lab of its own', async () => {
  let text = '';
  opened = await openWindow(labOf(['N1']), {
    'lab.save': () => {
      throw notFound('lab', 'lab');
    },
    'lab.import': (given) => {
      text = given.text;
      return { lab: LabDocument.parse(JSON.parse(text)), path: '/l', revision: 1, issues: [], dropped: [] };
    },
  });
  const name = await screen.findByRole('textbox', { name: 'Name of the lab' });
  fireEvent.change(name, { target: { value: 'Mine' } });
  await act(() => expect(saveNow(opened!.client)).rejects.toMatchObject({ code: 'not_found' }));
  const dialog = await screen.findByRole('dialog', { name: 'This lab is no longer stored', hidden: true });
  expect(dialog.textContent).not.toContain('Another window saved');
  await person.click(within(dialog).getByRole('button', { name: 'Keep mine as a lab', hidden: true }));
  await waitFor(() => expect(useLabStore.getState().save.state).toBe('saved'));
  expect(JSON.parse(text)).toMatchObject({ name: 'Mine', nodes: [{ name: 'N1' }] });
});

it('of several dropped files those that are labs are imported, and each of the others is reported', async () => {
  const read: string[] = [];
  opened = await openWindow(labOf(['N1']), {
    'lab.import': ({ text, name }) => {
      read.push(name);
      if (name === 'bad.json') throw new RinglabError('lab_unreadable', {}, { where: name });
      return { lab: LabDocument.parse(JSON.parse(text)), path: '/l', revision: 1, issues: [], dropped: [] };
    },
  });
  await screen.findByRole('button', { name: 'Run experiment' });
  const file = (name: string, text: string): File => new File([text], name);
  const good = (name: string): string => JSON.stringify({ ...labOf(['M1']), id: 'other', name });
  const files = [
    file('picture.png', 'x'),
    file('bad.json', '{'),
    file('a.json', good('A')),
    file('note.txt', 'x'),
    file('b.json', good('B')),
  ];
  const told = new Set<string>();
  const stop = useWindowStore.subscribe(({ problems }) => {
    for (const { error } of problems) told.add(`${error.code} ${error.where ?? ''}`);
  });
  fireEvent.drop(window, { dataTransfer: { types: ['Files'], files } });
  await waitFor(() => expect(lab().name).toBe('B'));
  expect(read).toEqual(['bad.json', 'a.json', 'b.json']);
  stop();
  expect([...told]).toEqual([
    'not_a_lab_file picture.png',
    'lab_unreadable bad.json',
    'not_a_lab_file note.txt',
  ]);
});

it('arrow keys that move another node are another step of undo', async () => {
  opened = await openWindow(labOf(['N1', 'N2']));
  const xs = () => lab().nodes.map(({ position }) => position.x);
  const move = async (id: string): Promise<void> => {
    act(() => select({ nodes: [id], links: [] }));
    const card = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${id}"]`)!;
    act(() => card.focus());
    await person.keyboard('{ArrowRight}{ArrowRight}');
  };
  await screen.findByRole('button', { name: 'Run experiment' });
  const before = xs();
  await move('n1');
  const [first = 0, second = 0] = xs();
  expect(first).toBeGreaterThan(before[0]!);
  await move('n2');
  expect(xs()[1]).toBeGreaterThan(second);
  act(undoEdit);
  expect(xs()).toEqual([first, second]);
  act(undoEdit);
  expect(xs()).toEqual(before);
});

it('what the inspector keeps of a choice that was left belongs to one lab', async () => {
  const first = labOf(['N1']);
  const where = newSlurmTarget();
  opened = await openWindow({
    ...first,
    experiment: {
      ...first.experiment,
      where: { ...where, account: 'mine', login: { ...where.login, host: 'login.test', user: 'me' } },
      script: { source: { type: 'folder', path: '/mine' }, file: 'a.py', arguments: '' },
    },
  });
  const pick = async (name: string): Promise<void> =>
    person.click(await screen.findByRole('radio', { name }));
  await pick('These machines');
  await pick('Git repository');
  showOther();
  await pick('Slurm');
  await pick('Git repository');
  await pick('Folder');
  expect(lab().experiment.where).toEqual(newSlurmTarget());
  expect(lab().experiment.script?.source).toEqual({ type: 'folder', path: '/b' });
});

it('unsaved text of a script stays, and is asked for, where another lab is shown', async () => {
  // The editor measures its text, which jsdom does not lay out.
  Range.prototype.getClientRects = () => document.createElement('p').getClientRects();
  const first = labOf(['N1']);
  const saved: unknown[] = [];
  opened = await openWindow(
    {
      ...first,
      experiment: {
        ...first.experiment,
        script: { ...script, source: { type: 'folder', path: '/a' }, file: 'a.py' },
      },
    },
    {
      'script.read': () => ({ text: 'old', sha256: '0'.repeat(64) }),
      'script.save': (args) => {
        saved.push(args);
        return { sha256: '1'.repeat(64) };
      },
    },
  );
  await screen.findByRole('button', { name: 'Run experiment' });
  act(() => openScript({ labId: 'lab', file: 'a.py' }));
  const text = await screen.findByRole('textbox', { name: /a\.py/ });
  const editor = EditorView.findFromDOM(text)!;
  act(() => editor.dispatch({ changes: { from: 0, insert: 'new ' } }));
  showOther();
  act(closeLab);
  expect(editor.dom.isConnected).toBe(true);
  await person.click(screen.getByRole('button', { name: 'Close the editor' }));
  await person.click(await screen.findByRole('button', { name: 'Save and go on' }));
  expect(saved).toMatchObject([{ labId: 'lab', file: 'a.py', text: 'new old' }]);
});
