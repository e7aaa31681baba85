// @vitest-environment jsdom
/** Labs, runs and views have addresses. */
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { summaryOf } from '../../shared/contract/api.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { compare, showRun, showRunPage, showRunsView, unmark } from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
  history.replaceState(null, '', '/');
});

const runs = [1, 2].map((number) =>
  runRecord(`r${number}`, { labId: 'lab', name: `Run ${number}`, state: 'finished', createdAt: number }),
);
const answers = {
  'run.list': () => runs.map((run) => summaryOf(run, 1)),
  'run.get': ({ runId }: { runId: string }) => {
    const run = runs.find(({ id }) => id === runId);
    if (run === undefined) throw new Error(runId);
    return run;
  },
};
const title = (name: string) => screen.findByRole('heading', { name, level: 2 });

describe('the address', () => {
  it('names the run and the view, and back and forward lead through them', async () => {
    opened = await openWindow(labOf(['N1']), answers);
    await title('Run 2');
    await waitFor(() => expect(location.hash).toBe('#lab=lab&run=r2'));
    act(() => showRun('lab', 'r1'));
    await title('Run 1');
    expect(location.hash).toBe('#lab=lab&run=r1');
    act(() => showRunPage('r1', 'logs'));
    expect(location.hash).toBe('#lab=lab&run=r1&page=logs');
    act(() => showRunsView('table'));
    expect(location.hash).toContain('view=table');
    await title('All runs');
    // A tab was no step of its own.
    history.back();
    await title('Run 1');
    expect(location.hash).toBe('#lab=lab&run=r1&page=logs');
    history.back();
    await title('Run 2');
    history.forward();
    await title('Run 1');
  });

  it('of a run opens it, and one that names nothing known is ignored', async () => {
    opened = await openWindow(labOf(['N1']), answers, '/#lab=lab&run=r1&page=ranks&view=<x>');
    await title('Run 1');
    expect(screen.getByRole('tab', { name: 'Ranks' }).getAttribute('aria-selected')).toBe('true');
    opened.stop();
    opened = await openWindow(labOf(['N1']), answers, '/#lab=gone&run=r1');
    await title('Run 2');
    expect(await screen.findByText(/gone/)).toBeDefined();
  });

  it('of a comparison leads to it after a reload, and to a run where nothing is compared', async () => {
    opened = await openWindow(labOf(['N1']), answers);
    await title('Run 2');
    act(() => compare(['r1', 'r2']));
    await waitFor(() => expect(location.hash).toContain('view=compare'));
    const stored: unknown = JSON.parse(localStorage.getItem('ringlab.compared') ?? '{}');
    expect(stored).toEqual({ lab: ['r1', 'r2'] });
    act(() => unmark(runs));
    await waitFor(() => expect(location.hash).not.toContain('compare'));
    opened.stop();
    opened = await openWindow(labOf(['N1']), answers, '/#lab=lab&run=r1&view=compare');
    await title('Run 1');
  });
});
