// @vitest-environment jsdom
/** The bundle for nodes without internet, made and imported in the window. */
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import type { BundleSummary } from '../../shared/contract/api.ts';
import type { NodeReadiness } from '../../shared/node/provision.ts';
import { plain } from '../../shared/base/phrase.ts';
import { showDialog } from '../state/index.ts';
import type { Answers } from '../api/client.fixture.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
beforeEach(furnishBrowser);
afterEach(() => {
  showDialog(undefined);
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

const summary: BundleSummary = {
  folder: '/d/bundle',
  systems: ['Debian 12', 'Ubuntu 22.04'],
  packages: 41,
  bytes: 212e6,
  conda: 0,
  micromamba: [],
  trainers: 1,
  wheels: [{ arch: 'x86_64', python: '3.11', torch: '2.9.1', packages: 12, bytes: 200e6 }],
  pythons: [],
};

/** As the lab's menu and the command palette do. */
const openDialog = async (answers: Answers): Promise<HTMLElement> => {
  opened = await openWindow(labOf(['N1']), answers);
  act(() => showDialog('bundle'));
  return await screen.findByRole('dialog', { name: 'Bundle for nodes without internet' });
};

it('is made for the lab that is shown, with what each node is asked, and says what it holds', async () => {
  const asked: unknown[] = [];
  let made: ((bundle: BundleSummary) => void) | undefined;
  const dialog = await openDialog({
    'bundle.make': (args) => {
      asked.push(args);
      return new Promise<BundleSummary>((resolve) => (made = resolve));
    },
  });
  const make = within(dialog).getByRole('button', { name: 'Make the bundle' });
  await person.type(within(dialog).getByLabelText('CUDA version'), '12');
  expect(within(dialog).getByText(/Two numbers with a dot/)).toBeDefined();
  expect(make).toHaveProperty('disabled', true);
  await person.type(within(dialog).getByLabelText('CUDA version'), '.4');
  await person.type(within(dialog).getByLabelText('Folder on this computer'), ' /media/disk ');
  await person.click(make);
  expect(asked).toMatchObject([{ lab: { id: 'lab' }, folder: '/media/disk', cuda: '12.4' }]);

  const readiness: NodeReadiness = {
    labId: 'lab',
    nodeId: 'n1',
    state: 'preparing',
    steps: [
      {
        id: 'libraries',
        instead: 'bundle',
        state: 'applying',
        alreadyThere: false,
        summary: plain('Debian 12'),
        log: [],
        droppedLogLines: 0,
        progress: { done: 5e6, total: 200e6, unit: 'bytes' },
      },
    ],
  };
  opened?.emit('provision.changed', { readiness });
  expect(await within(dialog).findByText(/5 MB of 200 MB/)).toBeDefined();

  made?.(summary);
  const said = await within(dialog).findByText('The bundle holds 212 MB, in /d/bundle:');
  expect(said.parentElement?.textContent).toContain('41 packages of Debian 12, Ubuntu 22.04');
  expect(said.parentElement?.textContent).toContain('12 wheels for x86_64, Python 3.11, torch 2.9.1');
  expect(said.parentElement?.textContent).toContain('1 trainer');
});

it('that another computer made is imported without its programs, unless the user wants them', async () => {
  const asked: unknown[] = [];
  const dialog = await openDialog({
    'bundle.add': (args) => {
      asked.push(args);
      if (asked.length === 1)
        throw new RinglabError('file_unreadable', { path: args.folder, reason: 'no index' });
      return { objects: 7, bytes: 1e6, programsLeft: args.programs ? 0 : 2 };
    },
  });
  await person.click(within(dialog).getByRole('tab', { name: 'Import' }));
  await person.type(within(dialog).getByLabelText(/Folder of the bundle/), '/media/disk');
  const start = within(dialog).getByRole('button', { name: 'Import' });
  await person.click(start);
  expect(await within(dialog).findByText(/no index/)).toBeDefined();
  await person.click(start);
  expect(await within(dialog).findByText('7 new files, 1 MB')).toBeDefined();
  expect(within(dialog).getByText('2 programs were left out.')).toBeDefined();
  await person.click(within(dialog).getByRole('checkbox'));
  await person.click(start);
  expect(asked.at(-1)).toEqual({ folder: '/media/disk', programs: true });
});
