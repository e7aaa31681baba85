// @vitest-environment jsdom
import { expect, it, vi } from 'vitest';
import { useWindowStore } from '../state/index.ts';
import type { Command, CommandContext } from './command.ts';
import { commandOf } from './list.ts';

vi.mock(import('./arrange-commands.ts'), async (original) => {
  const { arrangeCommands } = await original();
  const failing = (command: Command): Command => ({
    ...command,
    run: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  });
  return { arrangeCommands: arrangeCommands.map(failing) };
});

it('a command that fails is reported', () => {
  // It fails before it uses its context.
  commandOf('layout_layered').run({} as CommandContext);
  const [problem] = useWindowStore.getState().problems;
  expect(problem?.error).toMatchObject({ code: 'internal', detail: 'Maximum call stack size exceeded' });
});
