/** A job of 256 ranks, by simulation: they only write lines. What it costs the controller, the login node and the app. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { RunRecord } from '../../../../shared/run/run.ts';
import { queryEvery } from './controller.ts';
import { createStandInCluster, type StandInCluster } from './testing/stand-in-cluster.ts';

const ranks = 256;
const steps = 12;
/** Looks at hundreds of ranks are far apart: a job of a dozen steps could end before the first. */
const queriesOfJob = 2;

let cluster: StandInCluster | undefined;
afterEach(async () => {
  await cluster?.close();
  if (cluster !== undefined) await rm(cluster.folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Programs of this name that name the folder among their arguments, or read from it. */
async function processesOf(folder: string, program: string): Promise<number> {
  let count = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (words[0]?.endsWith(program) === true && words.some((word) => word.includes(folder))) count += 1;
  }
  return count;
}

it(
  'follows 256 ranks by one program on the login node, a query every five seconds, and a record that is stored some dozen times',
  { timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-many-'));
    cluster = await createStandInCluster({ folder, nodes: ranks, steps, every: 1, queries: queriesOfJob });
    const { runs, store, lab, events } = cluster;
    let changes = 0;
    let followers = 0;
    events.subscribe((event) => void (changes += event.name === 'run.changed' ? 1 : 0));
    const began = Date.now() / 1000;
    const { runId } = await runs.start(lab);
    const until = async (isIt: (run: RunRecord) => boolean): Promise<RunRecord> => {
      for (;;) {
        const run = await runs.get(runId);
        if (isIt(run)) return run;
        if (['failed', 'interrupted', 'lost'].includes(run.state)) throw new Error(JSON.stringify(run.error));
        followers = Math.max(followers, await processesOf(folder, 'tail'));
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    };
    await until((run) => run.state === 'running');
    const run = await until((now) => now.state === 'finished');
    expect(run).toMatchObject({ epochsCompleted: 1, step: steps, job: { id: '7', waits: false } });
    expect(run.ranks.every(({ state }) => state === 'done')).toBe(true);

    for (let rank = 0; rank < ranks; rank += 1) {
      const onNode = await readFile(join(run.ranks[rank]?.directory ?? '', 'metrics.jsonl'), 'utf8');
      expect(store.raw(runId, `rank-${rank}`)).toBe(onNode);
    }
    const calls = await cluster.calls();
    const lasted = Date.now() / 1000 - began;
    expect(calls.filter(([program]) => program === 'sbatch')).toHaveLength(1);
    const queries = calls.filter(([program]) => program === 'squeue').length;
    expect(queries).toBeGreaterThanOrEqual(queriesOfJob);
    expect(queries).toBeLessThanOrEqual(Math.ceil((lasted * 1000) / queryEvery));
    // Of the ranks none has one of its own; a file that is read once may.
    expect(followers).toBeLessThan(4);
    // Hundreds of ranks start and end; each record has all of them.
    expect(changes).toBeLessThan(60);
    expect(store.saved.length).toBeLessThan(60 + lasted);
  },
);
