/** Fault 33: nodes' clocks differ, or are set during a run. */
import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { ReadyNode } from '../../provision/index.ts';
import { readyNode } from '../testing/ready-node.ts';
import { clocksOf, endedAt, withLineClock } from './node-clocks.ts';

const node = (id: string, facts: Partial<NodeFacts>): ReadyNode =>
  readyNode(id, { bootId: `boot-${id}`, clockSkewSeconds: 3600, ...facts });
const nodes = [node('a', { bootedAt: 500 }), node('b', {}), node('c', { bootedAt: 500, bootId: '' })];
const lab = emptyLab('lab', 'Lab');
const slurm = {
  ...lab,
  experiment: {
    ...lab.experiment,
    where: {
      type: 'slurm' as const,
      login: {
        type: 'ssh' as const,
        host: 'login',
        port: 22,
        user: 'u',
        authentication: { method: 'agent' as const },
      },
    },
  },
};
const order = { label: 'rank-0', directory: '/r', argv: [], env: {}, attempt: 1 };

describe('what dates the lines of a node', () => {
  it('is this computer’s clock, where the node says when it was started', () => {
    const dated = withLineClock(lab, nodes);
    expect(['a', 'b', 'c', 'd'].map((nodeId) => dated({ ...order, nodeId }).clock)).toEqual([
      { bootedAt: 500, bootId: 'boot-a' },
      undefined,
      undefined,
      undefined,
    ]);
    expect(withLineClock(slurm, nodes)({ ...order, nodeId: 'a' }).clock).toBeUndefined();
  });

  it('is not corrected a second time', () => {
    const from = [{ from: 0, ahead: 3600 }];
    expect(clocksOf(runRecord('r', { lab }), nodes, 1000)).toEqual({
      a: [{ from: 0, ahead: 0 }],
      b: from,
      c: from,
    });
    expect(clocksOf(runRecord('r', { lab: slurm }), nodes, 1000)).toEqual({ a: from, b: from, c: from });
  });

  it('may change with an attempt: earlier lines stay where they were', () => {
    const before = { a: [{ from: 0, ahead: -3600 }] };
    const run = { ...runRecord('r', { lab }), clocks: before };
    expect(clocksOf(run, nodes.slice(0, 1), 9000)).toEqual({ a: [...before.a, { from: 9000, ahead: 0 }] });
  });
});

describe('when a rank ended', () => {
  const run = { ...runRecord('r', { lab }), startedAt: 1000, clocks: { b: [{ from: 0, ahead: 3600 }] } };

  it('is converted to this computer’s clock', () => {
    expect(endedAt(run, 'a', 1500, 2000)).toBe(1500);
    expect(endedAt(run, 'b', 5100, 2000)).toBe(1500);
  });

  it('is between the start and now', () => {
    expect(endedAt(run, 'a', 1500 + 86_400, 2000)).toBe(2000);
    expect(endedAt(run, 'a', 1500 - 86_400, 2000)).toBe(1000);
  });
});
