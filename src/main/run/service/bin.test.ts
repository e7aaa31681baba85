import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { unlessAborted } from '../../base/abort.ts';
import { createEventLog } from '../../base/events.ts';
import { createRuns, type Runs } from '../index.ts';
import { createMemoryStore, type MemoryStore } from '../testing/memory-store.ts';
import { binSeconds } from './bin.ts';

const [off, on, third] = ['20260101-120000-aaaaaa', '20260101-120000-bbbbbb', '20260101-120000-cccccc'];
const unreachable = new RinglabError('connection_lost', { host: 'off', reason: '' });

let folder: string;
let store: MemoryStore;
let runs: Runs;
/** The node that is off does not answer until this is rejected. */
let noAnswer: PromiseWithResolvers<never>;
let connecting: string[];
let commands: string[];
let problems: string[];

/** An ended run that was in the bin for `days`. */
const save = (id: string, nodeId: string, days?: number): Promise<void> => {
  const rank: RunRecord['ranks'][number] = {
    ...{ rank: 0, nodeId, nodeName: nodeId, localRank: 0, state: 'done', argv: [], env: {} },
    directory: `/h/.ringlab/runs/${id}/rank-0`,
  };
  const record = runRecord(id, { state: 'finished', ranks: [rank] });
  if (days === undefined) return store.saveRun(record);
  const t = Date.now() / 1000 - days * 86_400;
  return store.saveRun({ ...record, binned: { t, nodes: true } });
};
const tableAndBin = async (): Promise<string[][]> =>
  [await runs.list(), await runs.list(undefined, true)].map((some) => some.map(({ id }) => id));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-bin-'));
  store = createMemoryStore(folder);
  noAnswer = Promise.withResolvers();
  noAnswer.promise.catch(() => undefined);
  [connecting, commands, problems] = [[], [], []];
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(event.data.error.code);
  });
  const reach = {
    async session(_lab: unknown, nodeId: string, signal?: AbortSignal) {
      connecting.push(nodeId);
      if (nodeId === 'off') await unlessAborted(noAnswer.promise, signal);
      return { run: (script: string) => Promise.resolve(void commands.push(script)) };
    },
    connections: () => [],
  };
  // A fake with what deleting a run uses.
  runs = createRuns({ store, events, reach } as unknown as Parameters<typeof createRuns>[0]);
});
afterEach(async () => {
  noAnswer.reject(unreachable);
  await runs.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a run whose week in the bin is over', () => {
  const days = binSeconds / 86_400 + 1;

  it('stays where it is restored while another run’s node does not answer', async () => {
    await save(off, 'off', days);
    await save(on, 'on', days);
    await save(third, 'on', days);
    const adoption = runs.adopt();
    await expect.poll(() => connecting).toEqual(['off']);
    await runs.restore(on);
    noAnswer.reject(unreachable);
    await adoption;
    expect(await tableAndBin()).toEqual([[on], [off]]);
    expect(commands).toEqual([`rm -rf /h/.ringlab/runs/${third}`]);
    expect(problems).toEqual(['connection_lost']);
  });

  it('stays where it is restored while its own node does not answer', async () => {
    await save(off, 'off', days);
    await save(on, 'on', days);
    const adoption = runs.adopt();
    await expect.poll(() => connecting).toEqual(['off']);
    await runs.restore(off);
    await adoption;
    expect(await tableAndBin()).toEqual([[off], []]);
    expect(commands).toEqual([`rm -rf /h/.ringlab/runs/${on}`]);
    expect(problems).toEqual([]);
  });

  it('does not delay other runs’ way into the bin by its node that does not answer', async () => {
    await save(off, 'off', days);
    await save(on, 'on');
    await save(third, 'on');
    await runs.bin(on, { nodes: true });
    await runs.bin(third, { nodes: true });
    expect((await tableAndBin())[1]).toEqual([off, on, third]);
    await expect.poll(() => connecting).toEqual(['off']);
  });

  it('stays where the app is closed while its node does not answer', async () => {
    await save(off, 'off', days);
    const adoption = runs.adopt();
    await expect.poll(() => connecting).toEqual(['off']);
    await runs.close();
    await adoption;
    expect(await store.getRun(off)).toMatchObject({ id: off });
    expect(problems).toEqual([]);
  });
});
