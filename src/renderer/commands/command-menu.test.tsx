// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import type { CommandContext } from './command.ts';
import { CommandMenuAt } from './CommandMenu.tsx';

// Nothing of it is used before an entry is chosen.
vi.mock(import('./context.ts'), () => ({ useCommandContext: () => ({}) as CommandContext }));

afterEach(() => document.body.replaceChildren());

it.each([
  ['a card', 'div', 'http://www.w3.org/1999/xhtml'],
  ['a link', 'g', 'http://www.w3.org/2000/svg'],
] as const)('a context menu that closes returns the focus to %s', (_, name, namespace) => {
  furnishBrowser();
  // Both kinds have focus().
  const part = document.createElementNS(namespace, name) as HTMLElement | SVGElement;
  part.setAttribute('tabindex', '0');
  document.body.append(part);
  part.focus();
  expect(document.activeElement).toBe(part);
  const menu = (
    <CommandMenuAt groups={[['selectAll']]} point={{ x: 0, y: 0 }} label="Menu" onClose={() => undefined} />
  );
  const { rerender, unmount } = render(<MantineProvider>{menu}</MantineProvider>);
  // What has the focus in the menu is gone with it.
  part.blur();
  rerender(<MantineProvider>{null}</MantineProvider>);
  expect(document.activeElement).toBe(part);
  unmount();
});
