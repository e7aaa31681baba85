// @vitest-environment jsdom
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { givenTo } from '../../shared/run/script-time.ts';
import { setLanguage } from '../i18n/index.ts';
import { editLab, putSettings, undoEdit, useLabStore } from '../state/index.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
const sync = (): string | undefined => useLabStore.getState().lab?.experiment.sync;

/** N1–N2–N3. */
const chainOf = (mbps: number): LabDocument => ({
  ...labOf(['N1', 'N2', 'N3']),
  links: [
    ['n1', 'n2'],
    ['n2', 'n3'],
  ].map(([a = '', b = ''], index) => ({
    id: `l${index + 1}`,
    ends: [a, b],
    bandwidthMbps: mbps,
    delayMs: 0,
    lossPercent: 0,
  })),
});
const measured = (seconds: number) => ({
  'estimate.measured': () => ({
    localCpus: 2,
    compute: { seconds, runId: 'run', runName: 'Yesterday' },
  }),
});
const openWith = async (...args: Parameters<typeof openWindow>): Promise<OpenedWindow> => {
  opened = await openWindow(...args);
  await screen.findByRole('button', { name: 'Run experiment' });
  return opened;
};
const line = () => screen.findByRole('group', { name: 'Estimated time per step' });

beforeEach(furnishBrowser);
afterEach(async () => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
  await setLanguage('en');
});

describe('the estimate beside ‘Run experiment’', () => {
  it('shows a step’s cost and its bottleneck, and one click applies a faster mode', async () => {
    await openWith(chainOf(10), measured(0.15));
    expect(
      await within(await line()).findByRole('button', {
        name: /^About 5\d s per step: 2 equally slow links$/,
      }),
    ).toBeDefined();
    const better = within(await line()).getByRole('button', {
      name: /^Compress: \d+ ms a step$/,
    });
    better.focus();
    await person.keyboard('{Enter}');
    expect(sync()).not.toBe('allreduce');
    // Plain words first; the mode and its numbers are details.
    await within(await line()).findByRole('button', {
      name: /^Compressed for the slow links: \d+ ms a step instead of 5\d s$/,
    });
    expect(within(await line()).getAllByRole('button')).toHaveLength(1);
    act(undoEdit);
    expect(sync()).toBe('allreduce');
    await within(await line()).findByRole('button', { name: /equally slow links/ });
    act(() => editLab({ type: 'link', linkId: 'l1', change: { bandwidthMbps: 20 } }));
    await within(await line()).findByRole('button', { name: /the link N2–N3 is the bottleneck/ });
  });

  it('follows the drawing: after a link becomes faster, no advice is left', async () => {
    await openWith(chainOf(10), measured(2));
    await within(await line()).findByRole('button', { name: /equally slow links/ });
    act(() => {
      for (const linkId of ['l1', 'l2'])
        editLab({ type: 'link', linkId, change: { bandwidthMbps: 100_000 } });
    });
    await within(await line()).findByRole('button', { name: /^About 2(\.\d)? s per step$/ });
    expect(within(await line()).getAllByRole('button')).toHaveLength(1);
  });

  it('shows its parts, and whether computing was measured or assumed', async () => {
    await openWith(chainOf(10), measured(0.15));
    await person.click(await within(await line()).findByRole('button', { name: /^About/ }));
    expect(await screen.findByText('Computation time as measured in the run “Yesterday”.')).toBeDefined();
    expect(screen.getByText('59.6 MB')).toBeDefined();
    opened?.stop();
    await openWith(labOf(['N1', 'N2']));
    await person.click(await within(await line()).findByRole('button', { name: /^About/ }));
    expect(await screen.findByText(/^Computation time is assumed/)).toBeDefined();
    expect(screen.getByText('No links are drawn: the network is assumed to cost nothing.')).toBeDefined();
  });

  it('shows what auto will choose, and offers nothing more', async () => {
    const lab = chainOf(10);
    await openWith({ ...lab, experiment: { ...lab.experiment, sync: 'auto' } }, measured(0.3));
    const buttons = within(await line()).getAllByRole('button');
    expect(buttons).toHaveLength(1);
    await person.click(buttons[0]!);
    expect(await screen.findByText('Synchronisation, chosen for these links')).toBeDefined();
    expect(screen.getByText(/^Averages of 0\.156 bits per parameter, every step$/)).toBeDefined();
    expect(screen.getByText(/^[67](\.\d)? s, 7\.\d MB by each rank$/)).toBeDefined();
    expect(screen.queryByText(/overlap=|adapt=/)).toBeNull();
    expect(sync()).toBe('auto');
    // What it costs in accuracy, and what that was measured by.
    const cost = 'No accuracy cost measured (harder shapes, median of 3 seeds)';
    await person.click(await screen.findByText(cost));
    const table = (await screen.findByText('57.5 %')).closest('table')!;
    expect(table.querySelectorAll('tr').length).toBeGreaterThan(5);
  });

  it('of an own script is what its last run took, with what has changed since', async () => {
    const lab = chainOf(10);
    const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' } as const;
    const scripted: LabDocument = { ...lab, experiment: { ...lab.experiment, script } };
    const found = {
      ...givenTo(scripted),
      runId: 'run',
      runName: 'Yesterday',
      secondsPerStep: 0.25,
      seconds: 90,
    };
    await openWith(scripted, { 'estimate.measured': () => ({ localCpus: 2, script: found }) });
    const group = await screen.findByRole('group', { name: 'Estimated time of the script' });
    await person.click(
      within(group).getByRole('button', { name: 'About 250 ms per step, as in the last run' }),
    );
    expect(await screen.findByText('The whole run')).toBeDefined();
    expect(screen.getByText(/^Measured in the run “Yesterday”/)).toBeDefined();
    expect(screen.queryByText('Its drawn links were different from those of now.')).toBeNull();
    act(() => editLab({ type: 'link', linkId: 'l1', change: { bandwidthMbps: 20 } }));
    expect(await screen.findByText('Its drawn links were different from those of now.')).toBeDefined();
    expect(screen.queryByRole('group', { name: 'Estimated time per step' })).toBeNull();
  });

  it('says that it is of the drawing where this computer does not emulate links', async () => {
    const lab = chainOf(10);
    await openWith(
      { ...lab, experiment: { ...lab.experiment, sync: 'auto' } },
      {
        ...measured(0.3),
        'net.state': ({ labId }) => ({ labId, emulated: false, reason: 'rights', links: [], paths: [] }),
      },
    );
    await within(await line()).findByRole('button', {
      name: /^As drawn: \d+ ms per step; links are not emulated here$/,
    });
    expect(screen.queryByText(/slow links/)).toBeNull();
  });

  it('is missing for a lab with errors: unlinked nodes, an unknown mode', async () => {
    await openWith(chainOf(10), measured(0.15));
    await within(await line()).findByRole('button', { name: /equally slow links/ });
    act(() => editLab({ type: 'remove', nodeIds: [], linkIds: ['l2'] }));
    await waitFor(() => expect(screen.queryByText(/ per step/)).toBeNull());
    act(undoEdit);
    await within(await line()).findByRole('button', { name: /equally slow links/ });
    act(() => editLab({ type: 'experiment', change: { sync: 'gossip' } }));
    await waitFor(() => expect(screen.queryByText(/ per step/)).toBeNull());
  });

  it('is in Chinese if that language is set', async () => {
    await openWith(chainOf(10), measured(0.15));
    await line();
    await act(async () => {
      putSettings({ language: 'zh-CN', theme: 'dark', notifications: true });
      await setLanguage('zh-CN');
    });
    expect(await screen.findByRole('button', { name: /^每步约 5\d.*：2 条同样慢的链路$/ })).toBeDefined();
  });
});
