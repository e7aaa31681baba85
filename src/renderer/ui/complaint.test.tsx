// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import { CheckedInput } from './complaint.tsx';

beforeEach(() => furnishBrowser());
afterEach(cleanup);

const page = (value: string, problem?: string) => (
  <MantineProvider>
    <CheckedInput label="Port" value={value} onChange={() => undefined} problem={problem} />
    <button type="button">Next</button>
  </MantineProvider>
);
const shown = (): boolean => screen.queryByText('not a port') !== null;

/** Types what is no port; the field does not complain while it is typed. */
function typeWrong(): HTMLElement {
  const { rerender } = render(page('22'));
  const input = screen.getByLabelText('Port');
  fireEvent.focus(input);
  rerender(page('99999', 'not a port'));
  expect(shown()).toBe(false);
  return input;
}

it('a field complains at once when a key leaves it', () => {
  fireEvent.blur(typeWrong());
  expect(shown()).toBe(true);
});

it('a field that is left by a press complains after the click, which finds its button where it was', async () => {
  const input = typeWrong();
  const button = screen.getByRole('button');
  fireEvent.pointerDown(button);
  fireEvent.blur(input);
  expect(shown()).toBe(false);
  fireEvent.pointerUp(button);
  fireEvent.click(button);
  expect(shown()).toBe(false);
  expect(await screen.findByText('not a port')).not.toBeNull();
});
