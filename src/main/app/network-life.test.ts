import { expect, it, vi } from 'vitest';
import { emptyLab, type Experiment } from '../../shared/lab/lab.ts';
import type { Script } from '../../shared/lab/script.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../shared/run/run.ts';
import { createEventLog } from '../base/events.ts';
import { createNetworkLife } from './network-life.ts';

const rank = (number: number, argv: string[], address?: string): RankRecord => ({
  ...{ rank: number, nodeId: `n${number}`, nodeName: `N${number}`, localRank: 0, state: 'running' },
  ...{ argv, env: {}, directory: `/rank-${number}` },
  ...(address === undefined ? {} : { address }),
});
const script: Script = { source: { type: 'folder', path: '/project' }, file: 'train.py', arguments: '' };

/** The addresses between which a run's nodes are limited once it runs. */
async function limited(ranks: RankRecord[], experiment: Partial<Experiment>): Promise<[string, string][]> {
  const events = createEventLog();
  const apply = vi.fn((_: unknown, addresses: ReadonlyMap<string, string>) =>
    Promise.resolve(void addresses),
  );
  const nothing = (): Promise<void> => Promise.resolve();
  const lab = emptyLab('l', 'L');
  const life = createNetworkLife({
    networks: { adopt: nothing, reshape: nothing, watch: () => undefined, close: nothing },
    limits: { apply, reshape: nothing, lift: nothing, close: () => undefined },
    runs: { list: () => Promise.resolve([]) },
    store: { listRuns: () => Promise.resolve([]) },
    events,
    labNow: () => Promise.resolve(lab),
  });
  const run = { lab: { ...lab, experiment: { ...lab.experiment, ...experiment } }, ranks };
  events.emit('run.changed', { run: runRecord('r', { ...run, state: 'running' }) });
  await vi.waitFor(() => expect(apply).toHaveBeenCalledOnce());
  await life.close();
  return [...(apply.mock.calls[0]?.[1] ?? [])];
}

it('limits between the nodes’ addresses where an own script runs, whatever its own options are', async () => {
  const own = ['/venv/bin/python', 'train.py', '--address', '192.0.2.9'];
  const ranks = [rank(0, own, '192.0.2.1'), rank(1, own.slice(0, 2), '192.0.2.2')];
  expect(await limited(ranks, { script })).toEqual([
    ['n0', '192.0.2.1'],
    ['n1', '192.0.2.2'],
  ]);
});

it('takes the addresses of a record of an earlier version from the trainer’s options alone', async () => {
  expect(await limited([rank(0, ['ringlab-train', '--address', '192.0.2.1'])], {})).toEqual([
    ['n0', '192.0.2.1'],
  ]);
  expect(await limited([rank(0, ['python', 'train.py', '--address', '192.0.2.9'])], { script })).toEqual([]);
});
