// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { summaryOf } from '../../shared/contract/api.ts';
import { notFound, RinglabError } from '../../shared/base/errors.ts';
import { emptyLab } from '../../shared/lab/lab.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { hello, standIn, type Answers, type StandIn } from '../api/client.fixture.ts';
import { saveNow } from './autosave.ts';
import { closeLab, editLab, showLab, useLabStore } from './lab.ts';
import { linkStates, useLinkState, useLinkStates, useLinkTraffic } from './network.ts';
import { usePromptStore } from './prompts.ts';
import { useProvisionStore } from './readiness.ts';
import { compare, compareWith, mark, showRunDialog, useRunsView } from './runs/runs-view.ts';
import { subscribePoints, useRunStore, type PointBatch } from './runs.ts';
import { useWindowStore } from './window.ts';
import { wire } from './wire.ts';

const open = (id: string, name: string) => ({ lab: emptyLab(id, name), revision: 1, path: '/l', issues: [] });
const infoOf = (platform: string) => ({
  version: '1',
  host: 'web' as const,
  platform,
  dataFolder: '/d',
  secrets: 'memory' as const,
  replaced: false,
  hardware: { cpus: 2, memoryBytes: 4e9, gpus: [] },
});
const base: Answers = {
  'app.info': () => infoOf('linux'),
  'settings.get': () => ({ language: 'en', theme: 'dark', notifications: true }),
  'lab.list': () => [],
  'lab.ofRuns': () => [],
  'run.problems': () => [],
  'lab.examples': () => [],
  'prompt.list': () => [],
  'run.list': () => [],
  'provision.status': () => [],
  'node.connections': () => [],
  'net.state': ({ labId }) => ({
    labId,
    emulated: false,
    reason: 'not_raised' as const,
    links: [],
    paths: [],
  }),
  'lab.fromExample': ({ name }) => open('new', name),
};
const networkOf = (labId: string, down: boolean) => ({
  labId,
  emulated: true,
  links: [{ linkId: 'l-1', emulated: true, lacking: [], down }],
  paths: [],
});
const trafficOf = (linkId: string) => ({ linkId, forward: 1, back: 2 });
let stop: (() => void) | undefined;

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, '', '/');
  closeLab();
  useRunStore.setState({ records: {}, summaries: {}, shown: {} });
  usePromptStore.setState({ open: [] });
  useWindowStore.setState({ phase: 'loading', problems: [], labs: [] });
});
afterEach(() => stop?.());
const ready = () => vi.waitFor(() => expect(useWindowStore.getState().phase).toBe('ready'), 30_000);

describe('the first lab', () => {
  it('is the example of three local nodes if there is none, requested once', async () => {
    const { client, calls } = standIn(base);
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab?.name).toBe('three-local-nodes');
    expect(calls.filter((call) => call.name === 'lab.fromExample')).toHaveLength(1);
  });

  it('is that of the newest run of the command line, where only that has run any', async () => {
    const { client, calls } = standIn({
      ...base,
      'lab.ofRuns': () => [{ labId: 'from-a-file', name: 'Mine', runId: 'run-1', at: 5, runs: 2 }],
      'lab.fromRun': ({ runId }) => open('from-a-file', `of ${runId}`),
    });
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab).toMatchObject({ id: 'from-a-file', name: 'of run-1' });
    expect(calls.filter((call) => call.name === 'lab.fromExample')).toEqual([]);
  });

  it('is one of machines by SSH on Windows, which cannot be a node', async () => {
    const { client } = standIn({ ...base, 'app.info': () => infoOf('win32') });
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab?.name).toBe('ceni-three-gpu-nodes');
  });

  it('is the one shown last; a damaged one is never opened automatically', async () => {
    const summary = (id: string, changedAt: number) => ({
      id,
      name: id,
      path: `/${id}`,
      nodes: 0,
      changedAt,
    });
    localStorage.setItem('ringlab.lastLab', 'older');
    const { client } = standIn({
      ...base,
      'lab.list': () => [
        { ...summary('broken', 9), error: { code: 'lab_unreadable', params: {} } },
        summary('newer', 5),
        summary('older', 1),
      ],
      'lab.open': ({ labId }) => open(labId, labId),
    });
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab?.id).toBe('older');
  });

  it('is none if all are damaged: the first page shows them', async () => {
    const { client, calls } = standIn({
      ...base,
      'lab.list': () => [
        {
          id: 'b',
          name: 'b',
          path: '/b',
          nodes: 0,
          changedAt: 1,
          error: { code: 'lab_unreadable', params: {} },
        },
      ],
    });
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab).toBeUndefined();
    expect(calls.some((call) => call.name === 'lab.fromExample')).toBe(false);
  });

  it('is shown with its runs also where the browser’s storage is full', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    const { client, calls } = standIn(base);
    stop = wire(client);
    await ready();
    vi.restoreAllMocks();
    expect(calls).toContainEqual({ name: 'run.list', args: { labId: 'new' } });
    expect(useWindowStore.getState().problems).toEqual([]);
  });

  it('does not replace the lab that the user has opened in the meantime', async () => {
    const { client } = standIn({
      ...base,
      'lab.fromExample': ({ name }) => {
        showLab(open('mine', 'Mine'));
        return open('new', name);
      },
    });
    stop = wire(client);
    await ready();
    expect(useLabStore.getState().lab?.name).toBe('Mine');
  });

  it('that cannot be opened is an error message, not an endless wait', async () => {
    const { client } = standIn({
      ...base,
      'lab.fromExample': () => {
        throw new RinglabError('local_disk_full', { path: '/d' });
      },
    });
    stop = wire(client);
    await ready();
    expect(useWindowStore.getState().problems.map(({ error }) => error.code)).toEqual(['local_disk_full']);
  });
});

describe('events', () => {
  it('fill runs, and points go to their listeners without being kept', async () => {
    const { client, emit } = standIn(base);
    stop = wire(client);
    await ready();
    const got: PointBatch[] = [];
    const leave = subscribePoints('r1', (batch) => got.push(batch));
    const point = { source: 'rank-0', line: { v: 1, seq: 1, t: 1, kind: 'step', loss: 2 } } as const;
    emit('run.points', { runId: 'r1', points: [point], truncated: false });
    emit('run.points', { runId: 'other', points: [point], truncated: false });
    leave();
    emit('run.points', { runId: 'r1', points: [point], truncated: true });
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ points: [{ line: { loss: 2 } }], truncated: false });
    expect(JSON.stringify(useRunStore.getState())).not.toContain('loss":2');
  });

  it('close a lab that another window deleted', async () => {
    const { client, emit } = standIn(base);
    stop = wire(client);
    await ready();
    emit('lab.changed', { labId: 'new', revision: 1, summary: null });
    expect(useLabStore.getState().lab).toBeUndefined();
  });

  it('of a deletion ask the user where there are edits of ours that only the deleted lab would have had', async () => {
    const { client, emit } = standIn(base);
    stop = wire(client);
    await ready();
    editLab({ type: 'lab', change: { name: 'Mine' } });
    emit('lab.changed', { labId: 'new', revision: 1, summary: null });
    expect(useLabStore.getState()).toMatchObject({
      lab: { name: 'Mine' },
      save: { state: 'conflict', stored: 'gone' },
    });
  });

  it('of a deletion wait for a save that is under way, which has reached main before it', async () => {
    const { client, emit } = standIn({
      ...base,
      'lab.save': async ({ lab, revision }) => {
        await Promise.resolve();
        emit('lab.changed', { labId: 'new', revision: 3, summary: null });
        return { lab, revision: revision + 1, path: '/l', issues: [] };
      },
    });
    stop = wire(client);
    await ready();
    editLab({ type: 'lab', change: { name: 'Mine' } });
    await saveNow(client);
    await vi.waitFor(() => expect(useLabStore.getState().lab).toBeUndefined(), 30_000);
  });

  it('keep the list of labs, without asking for it again', async () => {
    const { client, calls, emit } = standIn(base);
    stop = wire(client);
    await ready();
    await vi.waitFor(() => expect(useWindowStore.getState().labs).toEqual([]), 30_000);
    const asked = (): number => calls.filter(({ name }) => name === 'lab.list').length;
    const before = asked();
    const summary = (id: string, name: string, nodes = 1) => ({
      id,
      name,
      path: `/${id}`,
      nodes,
      changedAt: 1,
    });
    const saved = (id: string, name: string, nodes?: number): void =>
      emit('lab.changed', { labId: id, revision: 2, summary: summary(id, name, nodes) });
    saved('b', 'B');
    saved('a', 'A');
    saved('b', 'B', 3);
    expect(useWindowStore.getState().labs).toEqual([summary('a', 'A'), summary('b', 'B', 3)]);
    emit('lab.changed', { labId: 'a', revision: 3, summary: null });
    expect(useWindowStore.getState().labs).toEqual([summary('b', 'B', 3)]);
    expect(asked()).toBe(before);
  });

  it('of another lab’s network leave the state and traffic of the links that are shown', async () => {
    const { client, emit } = standIn({ ...base, 'net.state': () => networkOf('new', true) });
    stop = wire(client);
    await ready();
    await vi.waitFor(() => expect(linkStates('new')).toHaveLength(1), 30_000);
    emit('net.changed', { state: networkOf('other', false) });
    expect(linkStates('new')).toMatchObject([{ linkId: 'l-1', down: true }]);
    emit('net.traffic', { labId: 'new', links: [trafficOf('l-1')] });
    expect(renderHook(() => useLinkTraffic('l-1')).result.current).toBeDefined();
    emit('net.changed', { state: networkOf('new', false) });
    expect(linkStates('new')).toMatchObject([{ linkId: 'l-1', down: false }]);
  });

  it('of a network show nothing of a copied lab, whose links have the same ids', async () => {
    const { client, emit } = standIn({ ...base, 'net.state': () => new Promise(() => undefined) });
    stop = wire(client);
    await ready();
    emit('net.changed', { state: networkOf('new', true) });
    emit('net.traffic', { labId: 'new', links: [trafficOf('l-1')] });
    const { result } = renderHook(() => [
      useLinkState('l-1')?.down,
      useLinkStates()?.length,
      useLinkTraffic('l-1')?.linkId,
    ]);
    expect(result.current).toEqual([true, 1, 'l-1']);
    act(() => showLab(open('copy', 'Copy')));
    expect(result.current).toEqual([undefined, undefined, undefined]);
  });

  it('of progress change a run that is known, and ask for none', async () => {
    const { client, calls, emit } = standIn(base);
    stop = wire(client);
    await ready();
    const run = runRecord('r', { labId: 'new', loss: 2 });
    emit('run.changed', { run });
    const before = calls.length;
    const progress = { step: 7, loss: null, epochsCompleted: 1, badLines: 0 };
    emit('run.progress', { runId: 'r', progress });
    emit('run.progress', { runId: 'unknown', progress });
    const { records, summaries } = useRunStore.getState();
    expect(records).toEqual({ r: { ...run, ...progress } });
    expect(summaries.r).toMatchObject({ ...progress, name: run.name });
    expect(Object.keys(summaries)).toEqual(['r']);
    expect(calls).toHaveLength(before);
  });

  /** The link breaks while this request is under way, and is back: to the same process, with no event missed since. */
  const breaksAt = (stand: StandIn, lastSeq: number, session: string): Promise<never> => {
    setTimeout(() => {
      stand.setStatus({ state: 'lost', everOpen: true });
      setTimeout(() => {
        stand.setStatus({ state: 'open', everOpen: true });
        stand.receive(hello(lastSeq, session));
      });
    });
    return new Promise(() => undefined);
  };

  it.each(['lab.list', 'run.list', 'run.get'] as const)(
    'that were missed are made up for, also where the link breaks at %s',
    async (name) => {
      let breaking: string | undefined;
      const ended = runRecord('r', { labId: 'new', state: 'finished' });
      const stand: StandIn = standIn({
        ...base,
        'lab.list': () => (breaking === 'lab.list' ? interrupt() : []),
        'run.list': () => (breaking === 'run.list' ? interrupt() : [summaryOf(ended, 1)]),
        'run.get': () => (breaking === 'run.get' ? interrupt() : ended),
      });
      const interrupt = (): Promise<never> => {
        breaking = undefined;
        return breaksAt(stand, 7, 'another process');
      };
      stop = wire(stand.client);
      await ready();
      stand.emit('run.changed', { run: runRecord('r', { labId: 'new', state: 'running' }) });
      expect(useRunStore.getState().records.r?.state).toBe('running');
      breaking = name;
      stand.receive(hello(7, 'another process'));
      await vi.waitFor(() => expect(useRunStore.getState().records.r?.state).toBe('finished'), 30_000);
      expect(breaking).toBeUndefined();
    },
  );

  it('that were missed drop a run that is gone, and no other', async () => {
    const stand = standIn({
      ...base,
      'run.get': ({ runId }) => {
        throw runId === 'gone' ? notFound('run', runId) : new RinglabError('local_disk_full', { path: '/d' });
      },
    });
    stop = wire(stand.client);
    await ready();
    for (const id of ['gone', 'there']) stand.emit('run.changed', { run: runRecord(id, { labId: 'new' }) });
    stand.receive(hello(7, 'another process'));
    await vi.waitFor(() => expect(Object.keys(useRunStore.getState().records)).toEqual(['there']), 30_000);
  });

  it('of another version of the lab are followed at the next connection, where the link breaks meanwhile', async () => {
    let breaks = false;
    const stand: StandIn = standIn({
      ...base,
      'lab.open': ({ labId }) => {
        if (!breaks) return { ...open(labId, 'Theirs'), revision: 2 };
        breaks = false;
        return breaksAt(stand, 1, 'one');
      },
    });
    stop = wire(stand.client);
    await ready();
    breaks = true;
    const summary = { id: 'new', name: 'Theirs', path: '/new', nodes: 0, changedAt: 1 };
    stand.emit('lab.changed', { labId: 'new', revision: 2, summary });
    await vi.waitFor(() => expect(useLabStore.getState().lab?.name).toBe('Theirs'), 30_000);
  });

  it('that arrive while the window is filled are not replaced by older answers', async () => {
    const waiting: (() => void)[] = [];
    const slow = <T>(answer: T): Promise<T> => new Promise((resolve) => waiting.push(() => resolve(answer)));
    const stand = standIn({
      ...base,
      'app.info': () => slow(infoOf('linux')),
      'run.list': () => [summaryOf(runRecord('r', { labId: 'new', state: 'running' }), 1)],
      'provision.status': () => slow([]),
    });
    stop = wire(stand.client);
    await vi.waitFor(() => expect(stand.calls.some(({ name }) => name === 'prompt.list')).toBe(true), 30_000);
    await new Promise((later) => setTimeout(later));
    const where = { labId: 'new', nodeId: 'n', nodeName: 'N', host: 'h', askedAt: 0 };
    const prompt = { ...where, id: 'p', kind: 'password', user: 'u' } as const;
    stand.emit('prompt.asked', { prompt });
    await vi.waitFor(() => expect(waiting).toHaveLength(1), 30_000);
    waiting.shift()?.();
    await ready();
    expect(usePromptStore.getState().open).toEqual([prompt]);

    await vi.waitFor(() => expect(waiting).toHaveLength(1), 30_000);
    await new Promise((later) => setTimeout(later));
    stand.emit('run.changed', { run: runRecord('r', { labId: 'new', state: 'finished' }) });
    const filled = new Promise<void>((resolve) => useProvisionStore.subscribe(() => resolve()));
    waiting.shift()?.();
    await filled;
    expect(useRunStore.getState().summaries.r?.state).toBe('finished');
  });

  it('follow a start at which main refused a request: it is asked again, and that is reported once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let refusals = 3;
    const { client } = standIn({
      ...base,
      'settings.get'() {
        refusals -= 1;
        if (refusals >= 0) throw new RinglabError('local_disk_full', { path: '/d' });
        return { language: 'en', theme: 'dark', notifications: true };
      },
    });
    try {
      stop = wire(client);
      await vi.advanceTimersByTimeAsync(300_000);
      expect(useWindowStore.getState().phase).toBe('ready');
      expect(useLabStore.getState().lab?.name).toBe('three-local-nodes');
      expect(useWindowStore.getState().problems.map(({ error }) => error.code)).toEqual(['local_disk_full']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('that were missed are made up for after main refused to, which is reported once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let refusals = 0;
    const stand: StandIn = standIn({
      ...base,
      'settings.get'() {
        if (refusals === 0) return { language: 'en', theme: 'dark', notifications: true };
        refusals -= 1;
        throw new RinglabError('bad_request', { path: '', problem: 'more than 256 requests at once' });
      },
    });
    try {
      stop = wire(stand.client);
      await ready();
      const got: PointBatch[] = [];
      const leave = subscribePoints('r1', (batch) => got.push(batch));
      refusals = 3;
      stand.receive(hello(7, 'another process'));
      await vi.advanceTimersByTimeAsync(300_000);
      expect(got).toEqual([{ points: [], truncated: true }]);
      expect(useWindowStore.getState().problems.map(({ error }) => error.code)).toEqual(['bad_request']);
      leave();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that were missed make charts request their data again', async () => {
    const { client, receive } = standIn(base);
    stop = wire(client);
    await ready();
    const got: PointBatch[] = [];
    const leave = subscribePoints('r1', (batch) => got.push(batch));
    receive(hello(7, 'another process'));
    await vi.waitFor(() => expect(got).toEqual([{ points: [], truncated: true }]), 30_000);
    leave();
  });
});

describe('marked and compared runs', () => {
  it('are those of the open lab: each lab keeps its own', async () => {
    const { client } = standIn({ ...base, 'lab.open': ({ labId }) => open(labId, labId) });
    stop = wire(client);
    await ready();
    showLab(open('a', 'A'));
    compare(['a1', 'a2']);
    compareWith('a1');
    mark(['a3', 'a4']);
    const steps = history.length;
    showLab(open('b', 'B'));
    expect(useRunsView.getState()).toMatchObject({
      view: 'run',
      marked: [],
      compared: [],
      baseline: undefined,
    });
    // The address did not name a comparison in lab B in between.
    expect(history.length).toBe(steps + 1);
    closeLab();
    showLab(open('a', 'A'));
    expect(useRunsView.getState()).toMatchObject({
      ...{ view: 'run', marked: ['a3', 'a4'], compared: ['a1', 'a2'], baseline: 'a1' },
    });
  });
});

describe('a dialog about the open lab', () => {
  it.each([{ kind: 'sweep', labId: 'a' } as const, { kind: 'watch' } as const])(
    'does not stay over another lab, whose settings it would take: $kind',
    async (dialog) => {
      const { client } = standIn({ ...base, 'lab.open': ({ labId }) => open(labId, labId) });
      stop = wire(client);
      await ready();
      showLab(open('a', 'A'));
      showRunDialog(dialog);
      showLab(open('a', 'A, saved by another window'));
      expect(useRunsView.getState().dialog).toEqual(dialog);
      showLab(open('b', 'B'));
      expect(useRunsView.getState().dialog).toBeUndefined();
      const ofRun = { kind: 'code', runId: 'r' } as const;
      showRunDialog(ofRun);
      showLab(open('a', 'A'));
      expect(useRunsView.getState().dialog).toEqual(ofRun);
      showRunDialog(undefined);
    },
  );
});
