// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from '../shell/window.fixture.tsx';
import { select, useLabStore } from '../state/index.ts';

let opened: OpenedWindow | undefined;
const person = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
const names = () => useLabStore.getState().lab!.nodes.map(({ name }) => name);

beforeEach(async () => {
  furnishBrowser();
  opened = await openWindow(labOf(['N1', 'N2', 'N3']));
});
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

it('keys apply to the drawing after the focused node was deleted by one', async () => {
  const card = await screen.findByRole('group', { name: /^N1/ });
  card.focus();
  select({ nodes: ['n1'], links: [] });
  await person.keyboard('{Delete}');
  expect(names()).toEqual(['N2', 'N3']);
  await waitFor(() => expect(document.activeElement).toBe(document.querySelector('[data-lab]')));
  await person.keyboard('{Control>}a{/Control}{Delete}');
  expect(names()).toEqual([]);
});

it('a node that is selected is seen in the list of nodes, too', async () => {
  const row = await screen.findByRole('button', { name: /^N3/ });
  const shown = vi.spyOn(row, 'scrollIntoView');
  select({ nodes: ['n1', 'n3'], links: [] });
  await waitFor(() => expect(row.getAttribute('aria-current')).toBe('true'));
  expect(shown).not.toHaveBeenCalled();
  select({ nodes: ['n3'], links: [] });
  await waitFor(() => expect(shown).toHaveBeenCalledWith({ block: 'nearest' }));
});

it('a lab with one node id twice, which opens with that problem, can be linked by keyboard', async () => {
  opened?.stop();
  const lab = labOf(['N1', 'N2', 'N2 again']);
  lab.nodes[2] = { ...lab.nodes[2]!, id: 'n2' };
  opened = await openWindow(lab);
  (await screen.findByRole('group', { name: /^N1/ })).focus();
  select({ nodes: ['n1'], links: [] });
  await person.keyboard('l');
  await screen.findByRole('dialog', { name: /N1/ });
  const options = await screen.findAllByRole('option', { name: /^N\d/, hidden: true });
  expect(options.map(({ textContent }) => textContent)).toEqual(['N2']);
});

it('L of a keyboard that types another script links the selected node', async () => {
  const card = await screen.findByRole('group', { name: /^N1/ });
  card.focus();
  select({ nodes: ['n1'], links: [] });
  card.dispatchEvent(new KeyboardEvent('keydown', { key: 'д', code: 'KeyL', bubbles: true }));
  await screen.findByRole('dialog', { name: /N1/ });
});

it('Enter on a button on the canvas presses it, also while a node is selected', async () => {
  await screen.findByRole('group', { name: /^N1/ });
  select({ nodes: ['n1'], links: [] });
  const button = screen.getByRole('button', { name: 'Zoom out' });
  const pressed = vi.fn();
  button.addEventListener('click', pressed);
  button.focus();
  await person.keyboard('{Enter}');
  expect(pressed).toHaveBeenCalledOnce();
  expect(document.activeElement).toBe(button);
});

it('Delete in the list of nodes removes the node whose row has the focus, or all that are selected', async () => {
  const row = await screen.findByRole('button', { name: /^N1/ });
  await person.click(row);
  await person.tab();
  expect(document.activeElement?.textContent).toMatch(/^N2/);
  await person.keyboard('{Delete}');
  expect(names()).toEqual(['N1', 'N3']);
  select({ nodes: ['n1', 'n3'], links: [] });
  row.focus();
  await person.keyboard('{Delete}');
  expect(names()).toEqual([]);
});
