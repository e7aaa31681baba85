/** Own scripts that end in other ways, and PyTorch's own agents: the same real services as in script.slow.test.ts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScriptBench, runsScripts, type ScriptBench } from '../testing/script-bench.ts';

let bench: ScriptBench;
beforeEach(async () => {
  bench = await createScriptBench();
});
afterEach(async () => {
  await bench.close();
});

describe.skipIf(!runsScripts)('an own script on two local nodes', () => {
  it('that crashes fails the run with its last words', { timeout: 240_000 }, async () => {
    const runId = await bench.start({
      'train.py': `
import os, time
import torch.distributed as dist
dist.init_process_group("gloo")
if os.environ["RANK"] == "1": raise ValueError("boom " + os.environ["RANK"])
dist.barrier()
time.sleep(60)
`,
    });
    const run = await bench.failed(runId);
    expect(run.error).toMatchObject({ code: 'rank_failed', params: { rank: 1, said: 'ValueError: boom 1' } });
    expect(run.error?.detail).toContain('Traceback');
  });

  it('that ignores SIGTERM ends when it is stopped', { timeout: 240_000 }, async () => {
    const runId = await bench.start({
      'train.py': `
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(600)
`,
    });
    await bench.until(runId, 'running');
    await expect
      .poll(async () => bench.log(await bench.app.runs.get(runId)).catch(() => ''))
      .toContain('deaf');
    await bench.app.runs.stop(runId);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  it('is started by torchrun where the user wants its agents', { timeout: 240_000 }, async () => {
    bench.lab.experiment.processesPerNode = 2;
    const runId = await bench.start(
      {
        'pkg/__init__.py': '',
        'pkg/train.py': `
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.ones(1); dist.all_reduce(total)
print("total", total.item(), os.environ["TORCHELASTIC_RUN_ID"], flush=True)
`,
      },
      { launch: 'torchrun', file: 'module:pkg.train' },
    );
    const run = await bench.until(runId, 'finished');
    expect(run.ranks).toHaveLength(2);
    for (const rank of [0, 1]) expect(await bench.log(run, rank)).toContain(`total 4.0 ${runId}`);
  });

  it('goes on with the nodes that are left, where torchrun may', { timeout: 300_000 }, async () => {
    const runId = await bench.start(
      {
        'train.py': `
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
print("world", dist.get_world_size(), "of", os.getppid(), "and", os.getpid(), flush=True)
while dist.get_world_size() == 2:
    dist.all_reduce(torch.ones(1))
    time.sleep(0.1)
`,
      },
      { launch: 'torchrun', minNodes: 1 },
    );
    /** The second node's agent and its worker: a node that is gone takes both. */
    const processes = async (): Promise<number[] | undefined> => {
      const log = await bench.log(await bench.app.runs.get(runId), 1).catch(() => '');
      return /world 2 of (\d+) and (\d+)/.exec(log)?.slice(1).map(Number);
    };
    await expect.poll(processes, { timeout: 100_000 }).toBeDefined();
    for (const one of (await processes()) ?? []) process.kill(one, 'SIGKILL');
    const run = await bench.until(runId, 'finished');
    expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'failed']);
    expect(run.ranks[1]?.error).toMatchObject({ code: 'rank_killed', params: { signal: 'SIGKILL' } });
    expect(await bench.log(run, 0)).toContain('world 1');
  });
});
