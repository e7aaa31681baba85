// @vitest-environment jsdom
/** The question for a new link's bandwidth: no typed text is lost, and the link is what the next key applies to. */
import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from '../shell/window.fixture.tsx';
import { linkNodes, useDraftStore, useLabStore } from '../state/index.ts';
import { intoSight } from './positions.ts';

let opened: OpenedWindow | undefined;
const person = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
const link = () => useLabStore.getState().lab!.links[0]!;
const field = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Bandwidth' });

beforeEach(async () => {
  furnishBrowser();
  opened = await openWindow(labOf(['N1', 'N2']));
  (await screen.findByRole('group', { name: /^N1/ })).focus();
  act(() => void linkNodes('n1', 'n2'));
});
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

it('Enter selects the link, so that Delete removes it and not the node from which it was drawn', async () => {
  await person.type(await field(), '{Control>}a{/Control}33{Enter}');
  expect(link().bandwidthMbps).toBe(33);
  expect(useLabStore.getState().selection).toMatchObject({ nodes: [], links: [link().id] });
  expect(document.activeElement?.closest('[data-lab]')).not.toBeNull();
  await person.keyboard('{Delete}');
  const { nodes, links } = useLabStore.getState().lab!;
  expect([nodes.length, links.length]).toEqual([2, 0]);
});

it('Enter and Escape of an input method that composes full-width digits leave the question open', async () => {
  await person.type(await field(), '{Control>}a{/Control}quick');
  for (const key of ['Enter', 'Escape']) fireEvent.keyDown(await field(), { key, isComposing: true });
  expect((await field()).value).toBe('quick');
  expect(screen.queryByText('This is not a number.')).toBeNull();
});

describe('text that is no bandwidth', () => {
  it.each(['{Enter}', 'Done'])('is not given up by %s, which says what is wrong', async (by) => {
    await person.type(await field(), '{Control>}a{/Control}quick');
    if (by === 'Done') await person.click(screen.getByRole('button', { name: by }));
    else await person.keyboard(by);
    expect((await field()).value).toBe('quick');
    expect(screen.getByText('This is not a number.')).toBeDefined();
    expect(document.activeElement).toBe(await field());
    await person.keyboard('{Control>}a{/Control}1000{Enter}');
    expect(screen.queryByRole('dialog', { name: /^Link/ })).toBeNull();
    expect(link().bandwidthMbps).toBe(1000);
  });

  it('stays as that of the link where the user goes on elsewhere, and goes with Escape', async () => {
    await person.type(await field(), '{Control>}a{/Control}quick');
    act(() => screen.getByRole('textbox', { name: 'Name of the lab' }).focus());
    expect(screen.queryByRole('dialog', { name: /^Link/ })).toBeNull();
    expect(Object.entries(useDraftStore.getState().drafts)).toMatchObject([
      [`link.${link().id}.bandwidthMbps`, { text: 'quick', problem: 'This is not a number.' }],
    ]);
  });

  it('goes with Escape', async () => {
    await person.type(await field(), '{Control>}a{/Control}quick{Escape}');
    expect(screen.queryByRole('dialog', { name: /^Link/ })).toBeNull();
    expect(useDraftStore.getState().drafts).toEqual({});
  });
});

describe('its place', () => {
  const view = { transform: [100, -50, 2] as const, width: 800, height: 600 };
  const size = { width: 190, height: 150 };

  it('is the one that is asked for where all of it is seen', () => {
    expect(intoSight({ x: 100, y: 150 }, view, size)).toEqual({ x: 100, y: 150 });
  });

  it('is moved into the view: the middle of a link of a large drawing may be out of it', () => {
    const { x, y } = intoSight({ x: -4000, y: 9000 }, view, size);
    const onScreen = { x: x * 2 + 100, y: y * 2 - 50 };
    expect(onScreen.x - size.width / 2).toBeGreaterThan(0);
    expect(onScreen.y + size.height).toBeLessThan(600);
    expect(onScreen).toMatchObject({ x: 127, y: 442 });
  });

  it('begins at the edge of a canvas that is too small for it', () => {
    const { x, y } = intoSight({ x: 0, y: 0 }, { ...view, width: 100, height: 96 }, size);
    expect([x * 2 + 100, y * 2 - 50]).toEqual([127, 8]);
  });
});
