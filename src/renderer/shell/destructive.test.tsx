// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notFound, RinglabError } from '../../shared/base/errors.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import type { Answers } from '../api/client.fixture.ts';
import { editLab, putRun, useLabStore, useWindowStore } from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
const names = (): string[] => (useLabStore.getState().lab?.nodes ?? []).map(({ name }) => name);

beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

const openWith = async (names: readonly string[], answers: Answers = {}): Promise<OpenedWindow> => {
  opened = await openWindow(labOf(names), answers);
  await button('Run experiment');
  return opened;
};
// `hidden`: whether each ancestor is displayed takes most of a test's time.
const button = (name: string | RegExp) => screen.findByRole('button', { name, hidden: true });
const press = async (name: string | RegExp): Promise<void> => person.click(await button(name));
/** What every destructive question has: the focus on what changes nothing, a warning sign, a red button. */
const asked = async (title: string, verb: string) => {
  const dialog = await screen.findByRole('dialog', { name: title, hidden: true });
  const keep = within(dialog).getByRole('button', { name: 'Cancel', hidden: true });
  const destroy = within(dialog).getByRole('button', { name: verb, hidden: true });
  await waitFor(() => expect(document.activeElement).toBe(keep));
  expect(dialog.querySelector('svg.tabler-icon-alert-triangle')).not.toBeNull();
  expect(destroy.style.getPropertyValue('--button-bg')).toContain('red');
  return { dialog, destroy };
};
const closed = () => waitFor(() => expect(screen.queryByRole('dialog', { hidden: true })).toBeNull());

describe('a destructive question', () => {
  it('comes before a node that a run is using is deleted, and before a lab is', async () => {
    const { calls } = await openWith(['N1', 'N2', 'N3'], { 'lab.delete': () => ({}) });
    putRun(runRecord('r', { lab: labOf(['N1', 'N2']), name: 'first try' }));
    const title = 'Delete N2 during a run?';
    await press(/^N2/);
    await press('Delete node');
    const { dialog } = await asked(title, 'Delete from the drawing');
    expect(dialog.textContent).toContain('The run “first try” goes on');
    await person.keyboard('{Enter}');
    await closed();
    (await button(/^N2/)).focus();
    await person.keyboard('{Delete}');
    await asked(title, 'Delete from the drawing');
    await person.keyboard('{Escape}');
    await closed();
    expect(names()).toEqual(['N1', 'N2', 'N3']);
    await press('Delete node');
    await person.click((await asked(title, 'Delete from the drawing')).destroy);
    await waitFor(() => expect(names()).toEqual(['N1', 'N3']));
    await closed();
    await press('Undo');
    expect(names()).toEqual(['N1', 'N2', 'N3']);
    // Drawn after the start: the run does not know it.
    await press(/^N3/);
    await press('Delete node');
    expect(names()).toEqual(['N1', 'N2']);
    await press('Lab menu');
    await person.click(await screen.findByRole('menuitem', { name: 'Delete lab…', hidden: true }));
    await asked('Delete the lab?', 'Delete lab');
    await person.keyboard('{Escape}');
    await closed();
    expect(calls.some(({ name }) => name === 'lab.delete')).toBe(false);
  });

  it('deletes a lab with its newest edits, and closes one whose file is gone', async () => {
    const order: string[] = [];
    const { calls } = await openWith(['N1'], {
      'lab.delete': () => {
        order.push(useLabStore.getState().save.state);
        throw notFound('lab', 'lab');
      },
    });
    editLab({ type: 'lab', change: { description: 'newest' } });
    await press('Lab menu');
    await person.click(await screen.findByRole('menuitem', { name: 'Delete lab…', hidden: true }));
    await person.click((await asked('Delete the lab?', 'Delete lab')).destroy);
    await waitFor(() => expect(useLabStore.getState().lab).toBeUndefined());
    expect(order).toEqual(['saved']);
    expect(calls.find(({ name }) => name === 'lab.save')?.args).toMatchObject({
      lab: { description: 'newest' },
    });
    expect(useWindowStore.getState()).toMatchObject({ labs: [], problems: [] });
  });

  it('of a lab can be taken back: it is restored and shown again', async () => {
    const { calls } = await openWith(['N1'], {
      'lab.delete': () => ({}),
      'lab.restore': () => ({}),
    });
    const id = useLabStore.getState().lab?.id;
    await press('Lab menu');
    await person.click(await screen.findByRole('menuitem', { name: 'Delete lab…', hidden: true }));
    await person.click((await asked('Delete the lab?', 'Delete lab')).destroy);
    await waitFor(() => expect(useLabStore.getState().lab).toBeUndefined());
    await person.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(useLabStore.getState().lab?.id).toBe(id));
    expect(calls.filter(({ name }) => /^lab\.(delete|restore|open)$/.test(name)).slice(-3)).toEqual([
      ...[
        { name: 'lab.delete', args: { labId: id } },
        { name: 'lab.restore', args: { labId: id } },
      ],
      { name: 'lab.open', args: { labId: id } },
    ]);
  });

  it('of removing Ringlab from a node shows the command, does not speak of training, and declining is no error', async () => {
    const answers: unknown[] = [];
    const { emit } = await openWith(['N1', 'N2'], {
      'prompt.answer': ({ answer }) => {
        answers.push(answer);
        return {};
      },
      'node.remove': () => {
        throw new RinglabError('consent_refused', { what: 'Remove the folder', command: 'rm' });
      },
    });
    const changes = [
      { what: { en: 'Remove the folder', 'zh-CN': '删除文件夹' }, command: 'rm -rf /home/a/.ringlab' },
    ];
    const where = { id: 'q', labId: 'lab', nodeId: 'n2', nodeName: 'N2', host: 'n2.example', askedAt: 1 };
    emit('prompt.asked', { prompt: { ...where, kind: 'consent', purpose: 'remove', changes } });
    const { dialog, destroy } = await asked('Remove Ringlab from N2?', 'Remove');
    expect(dialog.textContent).toContain('rm -rf /home/a/.ringlab');
    expect(dialog.textContent).not.toMatch(/to train|remembers|Allow/);
    await waitFor(() => expect(destroy.hasAttribute('disabled')).toBe(false));
    await person.click(destroy);
    await waitFor(() => expect(answers).toEqual([{ kind: 'accept' }]));
    await closed();
    await press(/^N2/);
    await press('Remove Ringlab from this node');
    await waitFor(async () =>
      expect((await button('Remove Ringlab from this node')).hasAttribute('disabled')).toBe(false),
    );
    expect(screen.queryByRole('alert', { hidden: true })).toBeNull();
  });
});
