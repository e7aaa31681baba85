// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { ChartMarks } from './ChartMarks.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(cleanup);

const kept: string[] = [];
function Pinned() {
  const [open, setOpen] = useState<string | undefined>('p');
  return (
    <MantineProvider>
      <ChartMarks
        marks={[]}
        pins={[{ id: 'p', chart: 'loss', note: 'as it was', x: 40 }]}
        open={open}
        onOpen={setOpen}
        onPin={(_pin, note) => kept.push(note ?? 'removed')}
      />
    </MantineProvider>
  );
}

it('a note on a pin is kept by a click beside it, and not by Escape', () => {
  render(<Pinned />);
  const note = (): HTMLElement => screen.getByLabelText('Note on this point');
  fireEvent.change(note(), { target: { value: 'discarded' } });
  // Keys of an input method that composes.
  for (const key of ['Enter', 'Escape']) fireEvent.keyDown(note(), { key, isComposing: true });
  expect(note()).toHaveProperty('value', 'discarded');
  fireEvent.keyDown(note(), { key: 'Escape' });
  expect(kept).toEqual([]);
  fireEvent.click(screen.getByLabelText('Pinned: as it was'));
  fireEvent.change(note(), { target: { value: 'the rate fell' } });
  fireEvent.mouseDown(document.body);
  fireEvent.click(document.body);
  expect(kept).toEqual(['the rate fell']);
});
