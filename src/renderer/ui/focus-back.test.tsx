// @vitest-environment jsdom
/** After a dialog that is removed when it closes, the focus is where it was, also if a menu has opened it. */
import { MantineProvider, Modal } from '@mantine/core';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import { mantineTheme } from '../theme/index.ts';
import { followFocus, useFocusBack } from './focus-back.ts';

let stop = (): void => undefined;
beforeEach(() => {
  furnishBrowser();
  stop = followFocus(document);
});
afterEach(() => {
  stop();
  cleanup();
});

function Dialog() {
  useFocusBack();
  return (
    <Modal opened onClose={() => undefined} title="dialog">
      <input aria-label="inside" data-autofocus />
    </Modal>
  );
}
const page = (opened: boolean) => (
  <MantineProvider theme={mantineTheme}>
    <button type="button">opener</button>
    <button type="button">other</button>
    <div data-portal>
      <button type="button">entry of a menu</button>
    </div>
    {opened && <Dialog />}
  </MantineProvider>
);
const settled = () => act(() => new Promise((resolve) => setTimeout(resolve, 60)));
const button = (name: string): HTMLElement => screen.getByRole('button', { name, hidden: true });

it('gives it back to what opened it, and not to the entry of a menu that is gone', async () => {
  const { rerender } = render(page(false));
  button('opener').focus();
  button('entry of a menu').focus();
  rerender(page(true));
  await settled();
  screen.getByLabelText('inside').focus();
  rerender(page(false));
  await settled();
  expect(document.activeElement).toBe(button('opener'));
});

it('leaves it where another part has taken it', async () => {
  const { rerender } = render(page(false));
  button('opener').focus();
  rerender(page(true));
  await settled();
  rerender(page(false));
  button('other').focus();
  await settled();
  expect(document.activeElement).toBe(button('other'));
});
