// @vitest-environment jsdom
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { useRunEpochs } from './use-run-epochs.ts';

afterEach(cleanup);

const line = (t: number, kind: string, fields: object): Point => ({
  source: 'rank-0',
  line: { ...fields, v: 1, seq: t, t, kind },
});
const start = line(1, 'start', {
  start_epoch: 0,
  start_step: 0,
  steps_per_epoch: 100,
  next_epoch_steps: 100,
});
const ends = [100, 200, 300, 400, 500, 700, 900].map((step, epoch) =>
  line(10 * epoch + 10, 'epoch', { epoch, step }),
);
const lost = line(55, 'membership', { epoch: 5, step: 500, batch: 0, batches: 200, next_epoch_steps: 200 });
const step = line(80, 'step', { epoch: 7, step: 950, batch: 50, batches: 200 });

it('knows of each compared run its own epochs, with fewer ranks longer ones', async () => {
  const asked: string[] = [];
  const { client } = standIn({
    'metrics.lines': ({ runId, kinds, source }) => {
      asked.push(`${runId} ${kinds.join(' ')}`);
      const all = runId === 'new' ? [] : [start, ...ends, lost, step];
      return all.filter((one) => one.source === source && kinds.includes(one.line.kind));
    },
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <ApiProvider value={client}>{children}</ApiProvider>
  );
  const even = {
    id: 'even',
    memberships: undefined,
    formerFirsts: undefined,
    recovery: undefined,
    origin: undefined,
  };
  const membership = { generation: 1, t: 55, step: 500, ranks: [0], lost: [1] };
  const runs = [even, { ...even, id: 'fewer', memberships: [membership] }, { ...even, id: 'new' }];
  const { result } = renderHook(() => useRunEpochs(runs, []), { wrapper });
  await waitFor(() => expect(result.current.size).toBe(2));
  expect(result.current.get('even')?.stepAt(10)).toBe(1000);
  const fewer = result.current.get('fewer');
  expect([fewer?.epochAt(500), fewer?.epochAt(1500), fewer?.stepAt(7)]).toEqual([5, 10, 900]);
  expect(asked.filter((one) => one.startsWith('even'))).toEqual(['even start']);
});
