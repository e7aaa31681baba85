// @vitest-environment jsdom
/** The command palette has every action of every menu. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { summaryOf } from '../../shared/contract/api.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { palette } from './shortcuts.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
beforeEach(furnishBrowser);
afterEach(() => {
  palette.close();
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

const run = runRecord('r', { labId: 'lab', state: 'stopped', epochsCompleted: 1, name: 'First' });

/** The names of the entries of the open menu, without keys and without those that only open another menu. */
const seen = new Set<HTMLElement>();
async function entries(): Promise<string[]> {
  // A menu that is closed may still be there.
  const menu = await waitFor(() => {
    const one = screen.getAllByRole('menu', { hidden: true }).find((found) => !seen.has(found));
    if (one === undefined) throw new Error('no menu has opened');
    return one;
  });
  seen.add(menu);
  return within(menu)
    .getAllByRole('menuitem', { hidden: true })
    .filter((item) => item.getAttribute('aria-haspopup') !== 'menu')
    .map((item) => item.querySelector('.mantine-Menu-itemLabel')?.textContent ?? '');
}

it('finds each entry of the lab’s menu, of the canvas’s and of a run’s by its name', async () => {
  opened = await openWindow(labOf(['N1', 'N2']), {
    'run.list': () => [run, runRecord('q', { labId: 'lab', createdAt: 0 })].map((one) => summaryOf(one, 1)),
    'run.get': () => run,
    'lab.ofRuns': () => [],
    'lab.list': () => [
      { id: 'lab', name: 'Test lab', path: '/l', nodes: 2, changedAt: 1 },
      { id: 'other', name: 'Another lab', path: '/o', nodes: 0, changedAt: 1 },
    ],
  });
  await screen.findByRole('heading', { name: 'First' });
  const offered = new Map<string, string[]>();
  const openers: readonly (readonly [string, () => Promise<void> | void])[] = [
    ['lab', () => person.click(screen.getByRole('button', { name: 'Lab menu' }))],
    ['run', () => person.click(screen.getByRole('button', { name: 'More actions' }))],
    [
      'canvas',
      () => {
        const pane = document.querySelector('.react-flow__pane');
        if (pane !== null) fireEvent.contextMenu(pane, { clientX: 300, clientY: 300 });
      },
    ],
  ];
  for (const [name, open] of openers) {
    await open();
    offered.set(name, await entries());
    await person.keyboard('{Escape}');
  }
  expect(offered.get('lab')).toContain('Three local nodes');
  expect(offered.get('lab')).toContain('Another lab');
  expect(offered.get('run')).toContain('Report (one HTML file)');
  expect(offered.get('canvas')).toContain('Lay out as a ring');
  await person.keyboard('{Control>}k{/Control}');
  const search = await screen.findByLabelText(/^Search commands/);
  const wanted = [
    ...new Set([...offered.values()].flat()),
    // Buttons, not entries of menus.
    ...[
      'Tour of the window',
      'Logs of the run',
      'Compare runs',
      'Sweep…',
      'Language: 简体中文',
      'Add a GPU node',
    ],
    // All but the lab that is open already.
  ].filter((name) => name !== 'Test lab');
  const isOffered = (name: string): boolean =>
    [...document.querySelectorAll('.mantine-Spotlight-action')].some((action) =>
      action.textContent.startsWith(name),
    );
  // The first are listed at once; typing finds the others.
  const missing = wanted
    .filter((name) => !isOffered(name))
    .filter((name) => {
      fireEvent.change(search, { target: { value: name } });
      return !isOffered(name);
    });
  expect(missing).toEqual([]);
  // By the name of its group.
  fireEvent.change(search, { target: { value: 'an example' } });
  expect(isOffered('Three local nodes')).toBe(true);
  // By a word of the other language, for who cannot read this one.
  fireEvent.change(search, { target: { value: '语言' } });
  expect(isOffered('Language: 简体中文')).toBe(true);
});

it('opens a run by its name, also where the table of runs was shown', async () => {
  const other = runRecord('q', { labId: 'lab', createdAt: 0, name: 'Second' });
  opened = await openWindow(labOf(['N1']), {
    'run.list': () => [run, other].map((one) => summaryOf(one, 1)),
    'run.get': ({ runId }) => (runId === 'q' ? other : run),
  });
  await screen.findByRole('heading', { name: 'First' });
  await person.click(screen.getByRole('button', { name: 'All runs in a table' }));
  await screen.findByRole('heading', { name: 'All runs' });
  await person.keyboard('{Control>}k{/Control}');
  const search = await screen.findByLabelText(/^Search commands/);
  fireEvent.change(search, { target: { value: 'Second' } });
  await waitFor(() => expect(document.querySelectorAll('.mantine-Spotlight-action')).toHaveLength(1));
  await person.keyboard('{ArrowDown}{Enter}');
  expect(await screen.findByRole('heading', { name: 'Second' })).toBeDefined();
});

it('takes what is typed before its search field has the focus', async () => {
  opened = await openWindow(labOf(['N1']));
  const run = await screen.findByRole('button', { name: 'Run experiment' });
  run.focus();
  // As fast as on a busy machine: nothing is drawn between these keys.
  const press = (key: string, init: KeyboardEventInit = {}): boolean =>
    run.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));
  press('k', { ctrlKey: true });
  // The button would be pressed.
  expect(press('Enter')).toBe(false);
  for (const key of 'tour') press(key);
  const search = await screen.findByLabelText(/^Search commands/);
  expect(search).toHaveProperty('value', 'tour');
  await waitFor(() => expect(document.activeElement).toBe(search));
});

it('opens the help by ‘?’ and by F1, but not in a text field', async () => {
  opened = await openWindow(labOf(['N1']));
  await screen.findByRole('button', { name: 'Run experiment' });
  for (const key of ['?', 'F1']) {
    fireEvent.keyDown(document.body, { key, shiftKey: key === '?' });
    const help = await screen.findByRole('dialog', { name: 'Help' });
    expect(within(help).getByText('?')).toBeDefined();
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Help' })).toBeNull());
  }
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Epochs' }), { key: '?', shiftKey: true });
  expect(screen.queryByRole('dialog', { name: 'Help' })).toBeNull();
});
