// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { closeLab, putRun, showLab, useRunStore } from '../../state/index.ts';
import { mantineTheme } from '../../theme/index.ts';
import { VariableFields } from './VariableFields.tsx';

const forgotten = 'Forgotten: the next run asks again.';
const { experiment } = emptyLab('lab', 'Lab');
const { client, calls } = standIn({ 'script.forget': () => ({}) });
const fields = (names: readonly string[]) => {
  const script: Script = {
    source: { type: 'folder', path: '/s' },
    ...{ file: 's.py', arguments: '', launch: 'torchrun' },
    environment: names.map((name) => ({ name, secret: true })),
  };
  return (
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={client}>
        <VariableFields
          experiment={experiment}
          script={script}
          issue={() => undefined}
          change={() => undefined}
          set={() => undefined}
        />
      </ApiProvider>
    </MantineProvider>
  );
};

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
  calls.length = 0;
  showLab({ lab: emptyLab('lab', 'Lab'), path: '/l', revision: 1, issues: [] });
});
afterEach(() => {
  cleanup();
  closeLab();
  useRunStore.setState({ records: {}, summaries: {}, shown: {} });
});

async function forgetFirst(): Promise<void> {
  const [button] = screen.getAllByRole('button', { name: 'Forget the kept value' });
  if (button === undefined) throw new Error('no button');
  fireEvent.click(button);
  await waitFor(() => expect(screen.getByText(forgotten)).toBeDefined(), { timeout: 30_000 });
}

it('only the variable that was forgotten says so, not the one that takes its place', async () => {
  const { rerender } = render(fields(['TOKEN', 'KEY']));
  await forgetFirst();
  expect(calls.map(({ args }) => args)).toEqual([{ labId: 'lab', name: 'TOKEN' }]);
  rerender(fields(['KEY']));
  expect(screen.queryByText(forgotten)).toBeNull();
  expect(screen.getAllByRole('button', { name: 'Forget the kept value' })).toHaveLength(1);
});

it('a run that starts asks, and its answer can be forgotten again', async () => {
  render(fields(['TOKEN']));
  await forgetFirst();
  act(() => putRun(runRecord('r', { labId: 'lab', state: 'running' })));
  expect(screen.queryByText(forgotten)).toBeNull();
  expect(screen.getAllByRole('button', { name: 'Forget the kept value' })).toHaveLength(1);
});
