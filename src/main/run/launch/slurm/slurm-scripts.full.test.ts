/** Full test: own scripts as jobs of a real Slurm cluster on this machine, with the system's Python torch. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../../../shared/lab/script.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import type { RunRecord } from '../../../../shared/run/run.ts';
import type { RealBench } from '../../testing/real-services.ts';
import { runsScripts } from '../../testing/script-bench.ts';
import { linesOf } from '../../testing/stored-lines.ts';
import { noCluster, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { slurmLab, openOnCluster } from './testing/slurm-lab.ts';

let cluster: SlurmCluster;
let bench: RealBench;

async function start(
  text: string,
  script: Partial<Script> = {},
  change: Partial<SlurmTarget> = {},
): Promise<string> {
  const lab = slurmLab(cluster, change);
  bench = await openOnCluster(cluster, lab);
  const path = join(bench.dataFolder, 'project');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'train.py'), text);
  lab.experiment = {
    ...lab.experiment,
    runtime: { type: 'system' },
    script: { source: { type: 'folder', path }, file: 'train.py', arguments: '', ...script },
  };
  return (await bench.app.runs.start(lab)).runId;
}
/** A file of a run as this machine sees it. */
const here = (path: string): string => path.replace(/^\/home\/[^/]+/, cluster.sshd.home);
const logOf = (run: RunRecord, rank: number): Promise<string> =>
  readFile(join(here(run.ranks[rank]?.directory ?? ''), 'log.txt'), 'utf8');
/** What rank 0's loss is drawn from. */
const curve = async (runId: string): Promise<unknown[]> =>
  (await linesOf(bench.app.store, runId, 'rank-0')).filter(({ kind }) => kind === 'scalar');

/** A loop as a tutorial has it; `steps` of it. */
const ddp = (steps: number, each = ''): string => `
import os, socket, time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = DistributedDataParallel(torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = 0
if os.path.exists("state.pt"):
    first = torch.load("state.pt")["step"]
for step in range(first, ${steps}):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean(); loss.backward(); optimizer.step()
    print(f"step {step} loss: {loss.item():.4f}", flush=True)
    ${each === '' ? 'pass' : each}
weight = model.module.weight.detach()
other = [torch.empty_like(weight) for _ in range(dist.get_world_size())]
dist.all_gather(other, weight)
print("equal", all(torch.equal(one, weight) for one in other), "of", len(other))
print("on", socket.gethostname(), os.environ["RANK"], os.environ["LOCAL_RANK"], flush=True)
if rank == 0: torch.save(model.state_dict(), "model.pt")
`;

const works = noCluster === undefined && runsScripts;
describe.skipIf(!works)(
  `an own script on Slurm${works ? '' : ` (skipped: ${noCluster ?? 'no torch'})`}`,
  () => {
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3 });
    });
    afterEach(async () => {
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());

    it.each<[string, Partial<Script>]>([
      ['as a process a rank', {}],
      ['with PyTorch’s agents', { launch: 'torchrun' }],
    ])(
      'trains on three compute nodes, %s: its lines and files arrive',
      { timeout: 300_000 },
      async (_how, script) => {
        const runId = await start(ddp(5), script);
        const run = await bench.until(runId, 'finished');
        expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
        const logs = await Promise.all([0, 1, 2].map((rank) => logOf(run, rank)));
        for (const log of logs) expect(log).toContain('equal True of 3');
        expect(logs.map((log) => /\bon (node\d) \d/.exec(log)?.[1]).toSorted()).toEqual([
          'node1',
          'node2',
          'node3',
        ]);
        for (const rank of [0, 1, 2]) {
          const lines = await linesOf(bench.app.store, runId, `rank-${rank}`);
          expect(lines.filter(({ kind }) => kind === 'scalar')).toHaveLength(5);
        }
        expect(await bench.app.runs.written(runId)).toMatchObject({ files: [{ rank: 0, path: 'model.pt' }] });
        const left = await readdir(join(here(run.ranks[0]?.directory ?? ''), '..'), { recursive: true });
        expect(left.filter((file) => file.includes('secret'))).toEqual([]);
        expect(bench.app.problems).toEqual([]);
      },
    );

    it('is stopped by the signal that its processes get', { timeout: 300_000 }, async () => {
      const runId = await start(ddp(100_000, 'time.sleep(0.1)'));
      await bench.until(runId, (run) => run.state === 'running' && run.job?.waits === false);
      await expect
        .poll(async () => (await linesOf(bench.app.store, runId, 'rank-0')).length)
        .toBeGreaterThan(2);
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped');
      await expect.poll(() => cluster.asUser('squeue -h -u student')).toBe('');
    });

    it(
      'that saves on SIGTERM is requeued at the time limit, and continues',
      { timeout: 600_000 },
      async () => {
        const save =
          'if rank == 0: torch.save({"step": step + 1}, "state.tmp"); os.replace("state.tmp", "state.pt")\n    time.sleep(0.5)';
        const runId = await start(ddp(100_000, save), {}, { timeLimitMinutes: 2, requeue: true });
        await bench.until(runId, (run) => run.job?.waits === false && run.state === 'running');
        await bench.until(runId, (run) => run.job?.waits === true, 200);
        await bench.until(runId, (run) => run.job?.state === 'RUNNING', 300);
        const steps = async (): Promise<number[]> => {
          const log = await logOf(await bench.app.runs.get(runId), 0);
          return [...log.matchAll(/^step (\d+) /gm)].map(([, step]) => Number(step));
        };
        const before = (await steps()).length;
        await expect
          .poll(async () => (await steps()).length, { timeout: 120_000 })
          .toBeGreaterThan(before + 3);
        await expect
          .poll(async () => (await curve(runId)).length, { timeout: 60_000 })
          .toBeGreaterThan(before);
        const all = await steps();
        // It did not begin anew.
        expect(all.filter((step) => step === 0)).toHaveLength(1);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
      },
    );

    it(
      'whose processes fail as they lose a node without power is requeued, and continues',
      { timeout: 600_000 },
      async () => {
        const save =
          'if rank == 0: torch.save({"step": step + 1}, "state.tmp"); os.replace("state.tmp", "state.pt")\n    time.sleep(0.5)';
        const runId = await start(ddp(100_000, save), {}, { requeue: true, timeLimitMinutes: 30 });
        const steps = async (): Promise<number[]> => {
          const log = await logOf(await bench.app.runs.get(runId), 0).catch(() => '');
          return [...log.matchAll(/^step (\d+) /gm)].map(([, step]) => Number(step));
        };
        await bench.until(runId, (run) => run.job?.waits === false && run.state === 'running');
        await expect.poll(async () => (await steps()).length, { timeout: 120_000 }).toBeGreaterThan(3);
        await cluster.killNode('node2');
        await bench.until(runId, (run) => run.job?.waits === true, 120);
        const before = (await steps()).length;
        await cluster.bootNode('node2');
        await bench.until(runId, (run) => run.job?.state === 'RUNNING', 300);
        await expect
          .poll(async () => (await steps()).length, { timeout: 200_000 })
          .toBeGreaterThan(before + 3);
        await expect
          .poll(async () => (await curve(runId)).length, { timeout: 60_000 })
          .toBeGreaterThan(before);
        expect((await steps()).filter((step) => step === 0)).toHaveLength(1);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
      },
    );
  },
);
