// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { summaryOf } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { useRunStore } from '../../state/index.ts';
import { HeldRun } from './HeldRun.tsx';

const held = (id: string, createdAt: number): RunRecord =>
  runRecord(id, { labId: 'lab', state: 'queued', heldBy: 'a', createdAt });
const asked: unknown[] = [];
const show = (run: RunRecord): void => {
  const runs = [runRecord('a', { labId: 'lab', state: 'stopped' }), held('b', 1), held('c', 2)];
  useRunStore.setState({ summaries: Object.fromEntries(runs.map((one) => [one.id, summaryOf(one, 1)])) });
  const { client } = standIn({
    'run.resume': (args: unknown) => {
      asked.push(args);
      return { runId: run.id };
    },
    'run.get': () => run,
  });
  render(
    <MantineProvider>
      <ApiProvider value={client}>
        <HeldRun run={run} />
      </ApiProvider>
    </MantineProvider>,
  );
};
beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
  asked.length = 0;
});
afterEach(cleanup);

it('a held run says since which run, and can be started alone or with the whole queue', () => {
  show(held('c', 2));
  expect(screen.getByRole('status').textContent).toBe('Held since “run a” was stopped');
  fireEvent.click(screen.getByText('Start only this one'));
  fireEvent.click(screen.getByText('Go on with all'));
  expect(asked).toEqual([{ runId: 'c', alone: true }, { runId: 'b' }]);
});

it('one that waits for its turn says nothing of it', () => {
  show(runRecord('d', { labId: 'lab', state: 'queued' }));
  expect(screen.queryByRole('status')).toBeNull();
});
