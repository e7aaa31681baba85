// @vitest-environment jsdom
/** What a user waits for, and what a user asks for while a run is active. */
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { summaryOf } from '../../shared/contract/api.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { showRunDialog, useRunStart } from '../state/index.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

const overSsh = (host: string): LabDocument => {
  const lab = labOf(['N1']);
  return {
    ...lab,
    nodes: lab.nodes.map((node) => ({
      ...node,
      access: { type: 'ssh', host, port: 2222, user: 'root', authentication: { method: 'password' } },
    })),
  };
};

it('says which host has not answered yet to a connection test', async () => {
  opened = await openWindow(overSsh('192.0.2.7'), { 'node.probe': () => new Promise(() => undefined) });
  await person.click(await screen.findByRole('button', { name: /^N1/ }));
  await person.click(screen.getByRole('button', { name: 'Test connection' }));
  const inspector = within(screen.getByRole('complementary', { name: 'Inspector' }));
  expect((await inspector.findByRole('timer')).textContent).toMatch(
    /^Waiting for 192\.0\.2\.7:2222 for \d+ s$/,
  );
  await person.click(inspector.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(inspector.queryByRole('timer')).toBeNull());
});

it('queues the lab as it is drawn while a run is active, by its button and by its key', async () => {
  const active = runRecord('r', { labId: 'lab', state: 'running', name: 'First' });
  const queued = runRecord('q', { labId: 'lab', state: 'queued', name: 'First · lr 0.5' });
  opened = await openWindow(labOf(['N1']), {
    'run.list': () => [summaryOf(active, 1)],
    'run.get': ({ runId }) => (runId === 'r' ? active : queued),
    'run.queue': () => ({ runIds: ['q'] }),
  });
  const button = await screen.findByRole('button', { name: 'Queue experiment after the active run' });
  const rate = await screen.findByRole('textbox', { name: 'Learning rate' });
  await person.clear(rate);
  await person.type(rate, '0.5');
  await person.click(button);
  expect(await screen.findByText('1 run is in the queue.')).toBeDefined();
  expect(opened.stored().experiment.learningRate).toBe(0.5);
  await person.keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}');
  const asked = () => opened?.calls.filter(({ name }) => name === 'run.queue') ?? [];
  await waitFor(() => expect(asked()).toHaveLength(2));
  expect(asked()[0]?.args).toEqual({ from: { labId: 'lab' }, changes: [{}] });
  // The active run is still the one that is shown.
  expect(screen.getByRole('status', { name: 'State of the run' }).textContent).toContain('Running');
});

it('says that a run is in the queue though it could not be read afterwards: it would be queued again', async () => {
  const active = runRecord('r', { labId: 'lab', state: 'running', name: 'First' });
  opened = await openWindow(labOf(['N1']), {
    'run.list': () => [summaryOf(active, 1)],
    'run.get': ({ runId }) => {
      if (runId === 'r') return active;
      throw new RinglabError('connection_lost');
    },
    'run.queue': () => ({ runIds: ['q'] }),
  });
  await person.click(await screen.findByRole('button', { name: 'Queue experiment after the active run' }));
  expect(await screen.findByText('1 run is in the queue.')).toBeDefined();
});

it.each(['Queue 2 runs', 'Compare parallel training modes'])(
  '%s lists the problems while a field has text that is not valid: the old value would be used',
  async (start) => {
    opened = await openWindow(labOf(['N1']), { 'run.queue': () => ({ runIds: [] }) });
    const rate = await screen.findByRole('textbox', { name: 'Learning rate' });
    await person.clear(rate);
    await person.type(rate, '0.5x');
    act(() => showRunDialog({ kind: 'sweep', labId: 'lab' }));
    const dialog = within(await screen.findByRole('dialog'));
    await person.type(dialog.getByLabelText(/^Values/), '0.1 0.2');
    await person.click(dialog.getByRole('button', { name: start }));
    await waitFor(() => expect(useRunStart.getState().problemsListed).toBe(true));
    expect(opened.calls.filter(({ name }) => name === 'run.queue')).toEqual([]);
    expect(screen.queryByLabelText(/^Values/)).toBeNull();
  },
);
