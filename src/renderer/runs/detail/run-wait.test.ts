import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import type { NodeReadiness, StepRecord } from '../../../shared/node/provision.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { runWait } from './run-wait.ts';

const lab: LabDocument = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['N1', 'N2'].map((name, index) => ({
    id: `n${index + 1}`,
    name,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  })),
  links: [{ id: 'l', ends: ['n1', 'n2'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }],
};
const ranks = [0, 1].map((rank): RankRecord => ({
  ...{ rank, nodeId: `n${rank + 1}`, nodeName: `N${rank + 1}`, localRank: 0, state: 'running' },
  ...{ argv: [], env: {}, directory: '/' },
}));
const estimate: RunRecord['estimate'] = {
  ...{
    asked: 'allreduce',
    sync: 'allreduce',
    secondsPerStep: 51,
    computeSeconds: 1,
    communicationSeconds: 50,
  },
  ...{ bytesPerStep: 1, plainSecondsPerStep: 51, bottleneck: ['N2', 'N1'], computeMeasured: false },
};
const run = (change: Partial<RunRecord>): RunRecord => runRecord('r', { lab, ranks, estimate, ...change });
const step = (change: Partial<StepRecord>): StepRecord => ({
  ...{ id: 'data', state: 'applying', alreadyThere: false, summary: { en: '', 'zh-CN': '' } },
  ...{ log: [], droppedLogLines: 0, ...change },
});
const node = (nodeId: string, one?: StepRecord): NodeReadiness => ({
  ...{ labId: 'lab', nodeId, state: one === undefined ? 'ready' : 'preparing' },
  steps: one === undefined ? [] : [one],
});
const progress = { done: 250e6, total: 1000e6, unit: 'bytes' } as const;

describe('what a run waits for', () => {
  it('is the node whose step has lasted longest, with the time that its bytes still need', () => {
    const preparing = run({ state: 'preparing' });
    expect(runWait(preparing, [], false, 100)).toEqual({ what: 'begins' });
    const nodes = [
      node('n1', step({ id: 'trainer', startedAt: 95 })),
      node('n2', step({ startedAt: 90, progress })),
    ];
    expect(runWait(preparing, nodes, false, 100)).toMatchObject({
      what: 'step',
      node: 'N2',
      left: 30,
      more: 1,
    });
    expect(runWait(preparing, [node('n1'), node('n2')], false, 100)).toEqual({ what: 'launch', ranks: 2 });
  });

  it('is the ranks, then their first weights over the slowest link, then the first step', () => {
    expect(runWait(run({ state: 'starting' }), [], false, 0)).toEqual({ what: 'launch', ranks: 2 });
    expect(runWait(run({}), [], false, 0)).toEqual({ what: 'rendezvous', ranks: 2 });
    // 46.76 MB at 10 Mbps.
    const sharing = { sharedBytes: 46_760_000 };
    expect(runWait(run(sharing), [], false, 0)).toMatchObject({ what: 'weights', seconds: 37.408 });
    // Links that are not emulated are not as slow as drawn.
    const fast = { ...estimate, communicationSeconds: 0 };
    expect(runWait(run({ ...sharing, estimate: fast }), [], false, 0)).toMatchObject({ seconds: undefined });
    expect(runWait(run({}), [], true, 0)).toEqual({ what: 'firstStep', seconds: 51 });
  });

  it('is what a run needs to start again by itself, then its ranks', () => {
    const restart = {
      ...{ attempt: 1, t: 9, step: 12, from: 10, seq: 3 },
      error: { code: 'rank_killed', params: {}, where: 'N2' } as const,
    };
    const waiting = { for: 'nodes' as const, names: ['N2'], since: 9 };
    const recovering = run({ state: 'recovering', recovery: { restarts: [restart], waiting } });
    expect(runWait(recovering, [], true, 0)).toEqual({ what: 'recovery', wait: waiting, from: 10 });
    const script = { ...lab, experiment: { ...lab.experiment, script: {} as never } };
    expect(runWait({ ...recovering, lab: script }, [], true, 0)).toMatchObject({ from: undefined });
    const again = run({ step: 12, recovery: { restarts: [restart] } });
    expect(runWait(again, [], true, 0)).toEqual({ what: 'rendezvous', ranks: 2 });
    // Supervisors on the nodes restart it without the app: it runs all the while.
    const supervised = run({ step: 12, recovery: { restarts: [restart], waiting } });
    expect(runWait(supervised, [], true, 0)).toEqual({ what: 'recovery', wait: waiting, from: 10 });
    const resumed = { t: 20, step: 10, lostSteps: 2, lostSeconds: 1 };
    const on = run({ step: 12, recovery: { restarts: [{ ...restart, resumed }] } });
    expect(runWait(on, [], true, 0)).toBeUndefined();
  });

  it('is nothing while it trains or has ended, and of a script unknown', () => {
    expect(runWait(run({ step: 1 }), [], true, 0)).toBeUndefined();
    expect(runWait(run({ state: 'failed' }), [], false, 0)).toBeUndefined();
    const script = { ...lab, experiment: { ...lab.experiment, script: {} as never } };
    expect(runWait(run({ lab: script }), [], false, 0)).toBeUndefined();
    expect(runWait(run({ state: 'stopping' }), [], true, 0)).toEqual({ what: 'stop', ranks: 2 });
  });

  it('waits for a checkpoint of the ranks that are left, before all start again', () => {
    const rejoining = run({ step: 12, recovery: { restarts: [], rejoins: true } });
    expect(runWait(rejoining, [], true, 0)).toEqual({ what: 'rejoin' });
    expect(runWait({ ...rejoining, state: 'recovering' }, [], true, 0)).toEqual({
      what: 'recovery',
      wait: undefined,
      from: 12,
    });
  });

  it('waits for a drawn link that is down, where the experiment does', () => {
    const waiting = run({ step: 12, lab: { ...lab, experiment: { ...lab.experiment, onLinkDown: 'wait' } } });
    expect(runWait(waiting, [], true, 0, ['l'])).toEqual({ what: 'link', names: ['N1 – N2'] });
    expect(runWait(waiting, [], true, 0, ['other'])).toBeUndefined();
    expect(runWait(run({ step: 12 }), [], true, 0, ['l'])).toBeUndefined();
  });
});
