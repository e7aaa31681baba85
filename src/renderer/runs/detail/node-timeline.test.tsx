// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { startI18n } from '../../i18n/index.ts';
import { NodeTimeline } from './NodeTimeline.tsx';

const ranks = ['N1', 'N2', 'N3'].map((nodeName, rank) => ({ rank, nodeName }) as RankRecord);
const show = (change: Partial<RunRecord>): void => {
  const run = runRecord('r', { state: 'finished', startedAt: 1000, endedAt: 1200, ranks, ...change });
  render(
    <MantineProvider>
      <NodeTimeline run={run} />
    </MantineProvider>,
  );
};

beforeEach(async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }));
  await startI18n('en');
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('the bars of a run’s nodes', () => {
  it('show which node the others went on without, also after it has rejoined', () => {
    show({ recovery: { restarts: [], absences: [{ ranks: [2], from: 1100, step: 9, to: 1150 }] } });
    const [before, absent, after] = within(screen.getByRole('list', { name: 'N3' })).getAllByRole('listitem');
    expect([before?.dataset.kind, after?.dataset.kind]).toEqual(['training', 'training']);
    expect(absent?.textContent).toMatch(/^Lost; the others trained on · .*\(50 s\)$/);
    const other = within(screen.getByRole('list', { name: 'N1' })).getAllByRole('listitem');
    expect(other.map((span) => span.dataset.kind)).toEqual(['training']);
  });

  it('show which node was lost, where, why and what it cost', () => {
    const error = {
      code: 'rank_killed' as const,
      params: { rank: 1, node: 'N2', signal: 'SIGKILL' },
      where: 'N2',
    };
    const resumed = { t: 1104, step: 8, lostSteps: 3, lostSeconds: 7 };
    show({
      recovery: {
        restarts: [{ by: 'node', attempt: 1, t: 1100, error, step: 11, from: 8, seq: 9, resumed }],
      },
    });
    const bar = screen.getByRole('list', { name: 'N2' });
    const [, lost] = within(bar).getAllByRole('listitem');
    expect(lost?.textContent).toMatch(/^Lost · .*\(4 s\) · .*SIGKILL.* · work lost: 7 s$/);
    expect(lost?.style.left).toBe('50%');
    expect(lost?.style.width).toBe('2%');
    const other = within(screen.getByRole('list', { name: 'N1' })).getAllByRole('listitem');
    expect(other.map((span) => span.dataset.kind)).toEqual(['training', 'waiting', 'training']);
  });

  it('are not there where nothing happened', () => {
    show({});
    expect(screen.queryByRole('list')).toBeNull();
  });
});
