// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { putRun, useRunsView, useRunStore } from '../../state/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { RunTable } from './RunTable.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(() => {
  cleanup();
  useRunStore.setState(useRunStore.getInitialState());
  useRunsView.setState(useRunsView.getInitialState());
});

const show = (labId: string) =>
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunTable labId={labId} onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
const search = (): HTMLInputElement => screen.getByLabelText<HTMLInputElement>('Filter runs');
const nameHead = (): Element | null => document.querySelector('th[data-column=name]');

it('the search and the order are still there when the user comes back from a run, and are the lab’s own', () => {
  for (const name of ['b', 'a', 'other'])
    putRun(runRecord(name, { labId: 'lab', name: `run ${name}`, state: 'finished' }));
  const opened = show('lab');
  fireEvent.change(search(), { target: { value: 'run' } });
  fireEvent.click(screen.getByText('Name'));
  expect(nameHead()?.getAttribute('aria-sort')).toBe('ascending');
  opened.unmount();
  const again = show('lab');
  expect(search().value).toBe('run');
  expect(nameHead()?.getAttribute('aria-sort')).toBe('ascending');
  again.unmount();
  show('other lab');
  expect(search().value).toBe('');
});
