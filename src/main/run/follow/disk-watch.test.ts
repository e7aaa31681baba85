import { expect, it } from 'vitest';
import { defaultPlacement, emptyLab } from '../../../shared/lab/lab.ts';
import { monitorSource, type Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { nextBytes } from '../launch/disk-needs.ts';
import { createDiskWatch } from './disk-watch.ts';
import { newRun } from '../service/new-run.ts';

const lab = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['a', 'b'].map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu' as const,
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' as const },
  })),
};
const needed = nextBytes(lab, false);

const watched = () => {
  let run: RunRecord = {
    ...newRun(lab, { lab, nodeOrder: undefined, estimate: undefined }, 100),
    state: 'running',
  };
  const reported: unknown[] = [];
  const watch = createDiskWatch({
    lab,
    keeper: {
      get current() {
        return run;
      },
      change: (apply) => Promise.resolve((run = apply(run))),
    },
    events: { emit: (_name, data) => void reported.push(data) },
    clock: { now: () => 123_000 },
    onError: (error) => reported.push(error),
  });
  let seq = 0;
  const say = (...free: unknown[]): void =>
    watch(
      monitorSource('b'),
      free.map((disk_free_bytes): Point => ({
        source: monitorSource('b'),
        line: { v: 1, seq: (seq += 1), t: 1, kind: 'sample', disk_free_bytes },
      })),
    );
  return { reported, say, watch, end: () => (run = { ...run, state: 'finished' }), run: () => run };
};

it('reports once each time that the free space falls below the size of the next write', () => {
  const { reported, say, run } = watched();
  say(needed * 3, needed);
  expect(reported).toEqual([]);
  say(needed - 1);
  expect(reported).toMatchObject([
    { error: { code: 'node_disk_low', where: 'Node b', params: { needed, free: needed - 1 } } },
  ]);
  // Free space oscillates around the limit.
  for (const free of [needed - 2, needed + 1, needed - 1, 0]) say(free);
  expect(reported).toHaveLength(1);
  say(needed * 2);
  say(10);
  expect(reported).toHaveLength(2);
  expect(run().events).toEqual([
    { t: 123, kind: 'disk', what: 'Node b' },
    { t: 123, kind: 'disk', what: 'Node b' },
  ]);
});

it('uses the newest of many samples, and ignores invalid numbers of bytes', () => {
  const { reported, say, watch } = watched();
  say(1, needed * 2);
  for (const odd of [undefined, null, 'NaN', '5', -1, Number.NaN, { free: 1 }]) say(odd);
  watch(monitorSource('stranger'), [
    { source: monitorSource('stranger'), line: { v: 1, seq: 1, t: 1, kind: 'sample', disk_free_bytes: 1 } },
  ]);
  expect(reported).toEqual([]);
});

it('reports nothing for a run that has ended', () => {
  const { reported, say, end } = watched();
  end();
  say(1);
  expect(reported).toEqual([]);
});
