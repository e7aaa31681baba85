import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { createEventLog } from '../../base/events.ts';
import { createRuns, type Runs } from '../index.ts';
import { createMemoryStore, type MemoryStore } from '../testing/memory-store.ts';

const empty = emptyLab('lab', 'Lab');
const lab: LabDocument = {
  ...empty,
  nodes: [
    {
      ...{ id: 'n0', name: 'N0', kind: 'cpu', position: { x: 0, y: 0 } },
      ...{ placement: defaultPlacement('cpu'), access: { type: 'local' } },
    },
  ],
  experiment: { ...empty.experiment, where: { type: 'kubernetes', image: 'x' } },
};
const rank: RankRecord = {
  ...{ rank: 0, nodeId: 'n0', nodeName: 'N0', localRank: 0, state: 'pending' },
  ...{ argv: ['x'], env: {}, directory: '/h/.ringlab/runs/a/rank-0' },
};

let folder: string;
let store: MemoryStore;
let runs: Runs;
/** Until it is resolved no pod answers. */
let answers: PromiseWithResolvers<undefined>;
let removed = 0;
let prepared = 0;
const problems: string[] = [];

function open(): Runs {
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(event.data.error.code);
  });
  const nothing = { code: 1, signal: null, stdout: '', stderr: '' };
  const reach = {
    async session(_lab: unknown, _node: string, signal?: AbortSignal) {
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = (): void => reject(new RinglabError('cancelled'));
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort);
      await Promise.race([answers.promise, promise]);
      return { exec: () => Promise.resolve(nothing) };
    },
    cluster: () => ({ machines: () => ({ remove: () => Promise.resolve(void (removed += 1)) }) }),
    connections: () => [],
  };
  const provisioner = {
    prepare(_lab: LabDocument, { signal }: { signal: AbortSignal }) {
      prepared += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new RinglabError('cancelled')));
      });
    },
  };
  // Fakes with what preparing, stopping and fetching use.
  runs = createRuns({ store, events, reach, provisioner } as unknown as Parameters<typeof createRuns>[0]);
  return runs;
}

/** Run a has ended, and its checkpoints are being fetched from its pods; run b waits. */
async function fetching(): Promise<void> {
  await store.saveRun(runRecord('a', { labId: 'lab', lab, state: 'failed', ranks: [rank], createdAt: 1 }));
  await store.saveRun(runRecord('b', { labId: 'lab', lab, state: 'queued', createdAt: 2 }));
  await open().resume('a');
  await expect.poll(() => prepared).toBe(1);
  await runs.stop('a');
  await expect.poll(async () => (await runs.get('a')).state).toBe('stopped');
}

/** Asks for the start of run b, which then waits. The store answers within a turn of the event loop. */
async function startNext(): Promise<{ started: Promise<unknown> }> {
  const started = runs.resume('b');
  await new Promise(setImmediate);
  return { started };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-pods-'));
  store = createMemoryStore(folder);
  answers = Promise.withResolvers();
  removed = 0;
  prepared = 0;
  problems.length = 0;
});
afterEach(async () => {
  answers.resolve(undefined);
  await runs.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('checkpoints in pods that end with the run', () => {
  it('are fetched by the next app where this one was closed meanwhile; then the pods go', async () => {
    await fetching();
    await runs.close();
    expect(removed).toBe(0);
    await open().adopt();
    await runs.leftPods();
    expect(removed).toBe(0);
    answers.resolve(undefined);
    await expect.poll(() => removed).toBe(1);
    await runs.close();
    // They are home: nothing is asked of the cluster again.
    await open().adopt();
    await runs.close();
    expect(removed).toBe(1);
    expect((await store.getRun('a'))?.unfetched).toBeUndefined();
  });

  it('are waited for by a command whose run has ended, not by one that finds those of an earlier app', async () => {
    await fetching();
    let isLeft = false;
    const left = runs.leftPods().then(() => (isLeft = true));
    await new Promise(setImmediate);
    expect(isLeft).toBe(false);
    expect(removed).toBe(0);
    answers.resolve(undefined);
    await left;
    expect(removed).toBe(1);
  });

  it('keep the pods for the lab’s next run, which waits for them', async () => {
    await fetching();
    await runs.close();
    await open().adopt();
    const { started } = await startNext();
    answers.resolve(undefined);
    await started;
    await expect.poll(() => prepared).toBe(2);
    expect(removed).toBe(0);
  });
});

describe('a run that waits for the checkpoints of the one before', () => {
  it('does not start where it left the queue meanwhile', async () => {
    await fetching();
    const { started } = await startNext();
    await runs.stop('b');
    answers.resolve(undefined);
    await expect(started).rejects.toMatchObject({ code: 'run_wrong_state' });
    expect((await runs.get('b')).state).toBe('stopped');
    expect(prepared).toBe(1);
  });

  it('does not start where it was removed, and does not come back', async () => {
    await fetching();
    const { started } = await startNext();
    await runs.bin('b', { nodes: false });
    answers.resolve(undefined);
    await expect(started).rejects.toMatchObject({ code: 'run_wrong_state' });
    expect((await runs.list('lab', true)).map(({ id }) => id)).toEqual(['b']);
    expect(prepared).toBe(1);
  });

  it('starts with what the user wrote about it meanwhile', async () => {
    await fetching();
    const { started } = await startNext();
    await runs.annotate('b', { name: 'renamed', notes: 'keep these words' });
    answers.resolve(undefined);
    await started;
    expect(await runs.get('b')).toMatchObject({ name: 'renamed', notes: 'keep these words' });
    expect(prepared).toBe(2);
  });

  it('stays queued where the app is closed meanwhile', async () => {
    await fetching();
    const { started } = await startNext();
    const refused = expect(started).rejects.toMatchObject({ code: 'cancelled' });
    await runs.close();
    await refused;
    expect((await store.getRun('b'))?.state).toBe('queued');
    expect(prepared).toBe(1);
  });
});
