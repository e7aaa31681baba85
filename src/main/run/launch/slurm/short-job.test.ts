/** Jobs that begin, and end, between two looks of the app. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isEnded, type RunRecord, type RunState } from '../../../../shared/run/run.ts';
import { createStandInCluster, type StandInCluster } from './testing/stand-in-cluster.ts';

let folder: string;
let cluster: StandInCluster | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-short-'))));
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs a job of three steps at which the app looks for the first time when it is over. */
async function runUnseen(isStopped: boolean): Promise<{ states: RunState[]; run: RunRecord; lines: string }> {
  cluster = await createStandInCluster({ folder, nodes: 2, steps: 3, every: 0.01 });
  if (isStopped) await writeFile(join(folder, 'home/.ringlab/cluster/stop'), '');
  const { runs, reach, lab, store, events } = cluster;
  // The first look comes when the job is over: until then the login node is out of reach.
  const session = reach.session.bind(reach);
  let submitted = false;
  let isOver = false;
  reach.session = async (...given) => {
    const opened = await session(...given);
    return {
      ...opened,
      async exec(script, how) {
        if (submitted && !isOver) {
          const { stdout } = await opened.exec(
            'until grep -q COMPLETED .ringlab/cluster/job; do sleep 0.05; done; echo over',
          );
          isOver = stdout === 'over\n';
        }
        const result = await opened.exec(script, how);
        submitted ||= script.includes('sbatch --parsable');
        return result;
      },
    };
  };
  const states: RunState[] = [];
  events.subscribe((event) => {
    if (event.name === 'run.changed' && event.data.run.state !== states.at(-1))
      states.push(event.data.run.state);
  });
  const { runId } = await runs.start(lab);
  await expect.poll(async () => isEnded((await runs.get(runId)).state), { timeout: 30_000 }).toBe(true);
  return { states, run: await runs.get(runId), lines: store.raw(runId, 'rank-1') };
}

it('a run whose job was never seen to run has run: it is finished, with every line', async () => {
  const { states, run, lines } = await runUnseen(false);
  expect(run.error).toBeUndefined();
  expect(run).toMatchObject({ epochsCompleted: 1, step: 3 });
  expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'done']);
  expect(states).toEqual(['preparing', 'starting', 'running', 'finished']);
  expect(lines).toContain('"kind":"end"');
});

it('a run whose ranks somebody stopped meanwhile is stopped, and can be resumed', async () => {
  const { states, run } = await runUnseen(true);
  expect(run.error).toBeUndefined();
  expect(run.ranks.map(({ state, exit }) => [state, exit?.code])).toEqual([
    ['stopped', 7],
    ['stopped', 7],
  ]);
  expect(states).toEqual(['preparing', 'starting', 'running', 'stopped']);
});
