// @vitest-environment jsdom
/** Cards that are dragged with the mouse. */
import { createEvent, fireEvent, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { select, useLabStore } from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

const places = (): string[] => useLabStore.getState().lab!.nodes.map(({ position: { x, y } }) => `${x} ${y}`);
/** With the window where d3 looks for it: jsdom takes no other into an event than its own, which tests do not have. */
function mouse(
  type: 'mouseDown' | 'mouseMove' | 'mouseUp',
  on: Element | Document,
  x: number,
  y: number,
): void {
  const event = createEvent[type](on, { button: 0, buttons: 1, clientX: x, clientY: y });
  Object.defineProperty(event, 'view', { value: window });
  fireEvent(on, event);
}
function drag(from: HTMLElement): void {
  mouse('mouseDown', from, 10, 10);
  mouse('mouseMove', document, 60, 60);
  mouse('mouseMove', document, 210, 110);
}

const card = (): Promise<HTMLElement> =>
  waitFor(() => {
    const found = document.querySelector<HTMLElement>('[data-id="n1"]');
    if (found === null) throw new Error('no card');
    return found;
  });

it('a card stays where it was after Escape, also at the drop, and can be dragged again', async () => {
  opened = await openWindow(labOf(['N1', 'N2']));
  const one = await card();
  select({ nodes: ['n1'], links: [] });
  const before = places();
  const { transform } = one.style;
  drag(one);
  const drawn = one.style.transform;
  fireEvent.keyDown(one, { key: 'Escape' });
  expect(one.style.transform).not.toBe(drawn);
  mouse('mouseMove', document, 310, 210);
  mouse('mouseUp', document, 310, 210);
  expect(places()).toEqual(before);
  expect(one.style.transform).toBe(transform);
  // The selection is not what Escape took away.
  expect(useLabStore.getState().selection.nodes).toEqual(['n1']);
  drag(one);
  mouse('mouseUp', document, 210, 110);
  expect(places()).not.toEqual(before);
});
