// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { summaryOf } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { putRun, useRunStore } from '../../state/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { RunRow } from './RunRow.tsx';

const run = runRecord('r', { state: 'finished' });
const binned = { ...run, binned: { t: 1, nodes: false } };

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(() => {
  cleanup();
  useRunStore.setState(useRunStore.getInitialState());
});

it.each([
  ['the table', run, () => undefined, false],
  ['the bin', binned, undefined, true],
])('whether the marks of a run in %s can be changed', (_name, shown, onOpen, isDisabled) => {
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <table>
          <tbody>
            <RunRow
              run={summaryOf(shown, 1)}
              index={0}
              names={['name']}
              common={new Map()}
              scalars={undefined}
              marked={false}
              now={0}
              today={0}
              onMark={() => undefined}
              onOpen={onOpen}
            />
          </tbody>
        </table>
      </ApiProvider>
    </MantineProvider>,
  );
  const buttons = screen.getAllByRole<HTMLButtonElement>('button');
  // The star, the colour and the name.
  expect(buttons.map(({ disabled }) => disabled)).toEqual([isDisabled, isDisabled, isDisabled]);
});

it('a run that changes in the bin, as when its checkpoint has arrived, does not come back into the table', () => {
  putRun(run);
  expect(Object.keys(useRunStore.getState().summaries)).toEqual(['r']);
  putRun(binned);
  const { summaries, records } = useRunStore.getState();
  expect([summaries, records]).toEqual([{}, {}]);
  putRun(run);
  expect(Object.keys(useRunStore.getState().summaries)).toEqual(['r']);
});
