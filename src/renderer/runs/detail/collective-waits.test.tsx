// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RankCollectives } from '../../../shared/run/collective-wait.ts';
import type { RunOutputs } from '../../../shared/run/run-outputs.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { startI18n } from '../../i18n/index.ts';
import { CollectiveWaits } from './CollectiveWaits.tsx';

const now = 2000;
const record = (rank: number, count: number, more: Partial<RankCollectives> = {}): RankCollectives => ({
  rank,
  t: now - 30,
  state: 'resting',
  quiet: 10,
  groups: [{ name: '0', count, ranks: [0, 1, 2] }],
  stack: [['train.py', 57, 'main']],
  ...more,
});
const operation = { name: 'all_reduce', shape: [64], dtype: 'float32' };
const hung: RunOutputs = {
  scalars: [],
  files: [],
  problems: [],
  profiles: [],
  collectives: [
    record(0, 118, { operation }),
    record(1, 118, { operation }),
    record(2, 117, { place: { file: 'train.py', line: 57, function: 'main', text: 'time.sleep(3600)' } }),
  ],
};
const show = (changes: Partial<RunRecord>): void => {
  const run = runRecord('r', changes);
  render(
    <MantineProvider>
      <CollectiveWaits run={run} outputs={hung} />
    </MantineProvider>,
  );
};

beforeEach(async () => {
  vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] });
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  await startI18n('en');
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('ranks that wait for each other', () => {
  it('are a sentence, and a picture with the rank that missed the collective', () => {
    show({});
    expect(screen.getByText(/^Not entered by rank 2: all_reduce \(64 float32\)/)).toBeTruthy();
    const rows = screen.getAllByRole('row').slice(1);
    const marks = rows.map((row) =>
      within(row)
        .getAllByRole('img')
        .map((mark) => mark.getAttribute('aria-label')),
    );
    const begun = ['begun', 'begun', 'begun', 'begun'];
    expect(marks).toEqual([
      [...begun, 'waits in it'],
      [...begun, 'waits in it'],
      [...begun, 'not begun'],
    ]);
    expect(within(rows[2]!).getByText('train.py:57 main: time.sleep(3600)')).toBeTruthy();
  });

  it('are still there when the user has stopped the run, and not when it has finished', () => {
    show({ state: 'stopped', endedAt: now });
    expect(screen.getByText('When the run ended:')).toBeTruthy();
  });

  it('are not shown of a run that has finished', () => {
    show({ state: 'finished', endedAt: now });
    expect(screen.queryByRole('region')).toBeNull();
  });
});
