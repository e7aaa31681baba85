/** Own scripts on local nodes, with the system's Python torch: services, SSH and processes are the real ones. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Script } from '../../../shared/lab/script.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';

const hasTorch = (() => {
  try {
    execFileSync('/usr/bin/python3', [
      '-c',
      'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)',
    ]);
    return true;
  } catch {
    return false;
  }
})();

let bench: RealBench;
let source: string;
beforeEach(async () => {
  bench = await createRealBench();
  bench.lab.nodes.splice(2);
  source = join(bench.dataFolder, 'project');
});
afterEach(async () => {
  await bench.close();
});

async function start(files: Readonly<Record<string, string>>, script: Partial<Script> = {}): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), text);
  }
  bench.lab.experiment = {
    ...bench.lab.experiment,
    runtime: { type: 'system' },
    script: { source: { type: 'folder', path: source }, file: 'train.py', arguments: '', ...script },
  };
  return (await bench.app.runs.start(bench.lab)).runId;
}
const log = (run: RunRecord, rank = 0): Promise<string> =>
  readFile(join(run.ranks[rank]!.directory, 'log.txt'), 'utf8');
const failedRun = (runId: string): Promise<RunRecord> =>
  bench.until(runId, ({ state }) => state === 'failed');

/** A hand-written loop, as a tutorial has it. */
const ddp = `
import argparse, os, pathlib, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from helper import steps
parser = argparse.ArgumentParser()
parser.add_argument("--name"); parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
dist.init_process_group("gloo")
torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
sampler = DistributedSampler(data)
model = DistributedDataParallel(torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(steps):
    sampler.set_epoch(epoch)
    for x, y in DataLoader(data, batch_size=8, sampler=sampler):
        optimizer.zero_grad(); loss = torch.nn.functional.cross_entropy(model(x), y); loss.backward(); optimizer.step()
weight = model.module.weight.detach()
other = [torch.empty_like(weight) for _ in range(dist.get_world_size())]
dist.all_gather(other, weight)
print("equal", all(torch.equal(one, weight) for one in other))
print("args", args.name, args.local_rank, os.environ["LOCAL_RANK"], os.environ["WORLD_SIZE"], os.environ["OWN"])
if dist.get_rank() == 0: torch.save(model.state_dict(), "model.pt")
print("cwd", pathlib.Path.cwd().name, os.environ["RINGLAB_RANK_DIR"], flush=True)
`;

describe.skipIf(!hasTorch || !trainerIsBuilt)('an own script on two local nodes', () => {
  it('trains with DDP, unchanged, in its own copy of the code', { timeout: 240_000 }, async () => {
    const runId = await start(
      { 'train.py': ddp, 'helper.py': 'steps = 2\n', '.gitignore': 'big\n', 'big/data.bin': 'x' },
      { arguments: `--name 'a "b" c'`, environment: [{ name: 'OWN', value: 'mine' }] },
    );
    const run = await bench.until(runId, 'finished');
    expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'done']);
    for (const [rank, record] of run.ranks.entries()) {
      const text = await log(run, rank);
      expect(text).toContain('equal True');
      expect(text).toContain('args a "b" c 0 0 2 mine');
      expect(text).toContain(`cwd code ${record.directory}`);
    }
    expect(run.code?.files).toBe(3);
    expect(run.ranks[0]!.argv).toContain('--local_rank=0');
    const copy = join(run.ranks[0]!.directory, '..', 'code');
    await expect(readFile(join(copy, 'model.pt'))).resolves.toBeInstanceOf(Buffer);
    expect(bench.app.problems).toEqual([]);
  });

  it('that crashes fails the run with its last words', { timeout: 240_000 }, async () => {
    const runId = await start({
      'train.py': `
import os, time
import torch.distributed as dist
dist.init_process_group("gloo")
if os.environ["RANK"] == "1": raise ValueError("boom " + os.environ["RANK"])
dist.barrier()
time.sleep(60)
`,
    });
    const run = await failedRun(runId);
    expect(run.error).toMatchObject({ code: 'rank_failed', params: { rank: 1, said: 'ValueError: boom 1' } });
    expect(run.error?.detail).toContain('Traceback');
  });

  it('with a syntax error is found before anything is started', { timeout: 240_000 }, async () => {
    const runId = await start({ 'train.py': 'import os\n\ndef f(:\n' });
    const run = await failedRun(runId);
    expect(run.error).toMatchObject({ code: 'script_syntax', params: { path: 'train.py' } });
    expect(String(run.error?.params.said)).toMatch(/^line 3: SyntaxError/);
    expect(run.ranks).toEqual([]);
  });

  it('that ignores SIGTERM ends when it is stopped', { timeout: 240_000 }, async () => {
    const runId = await start({
      'train.py': `
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(600)
`,
    });
    await bench.until(runId, 'running');
    await expect.poll(async () => log(await bench.app.runs.get(runId)).catch(() => '')).toContain('deaf');
    await bench.app.runs.stop(runId);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  it('is started by torchrun where the user wants its agents', { timeout: 240_000 }, async () => {
    bench.lab.experiment.processesPerNode = 2;
    const runId = await start(
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
    for (const rank of [0, 1]) expect(await log(run, rank)).toContain(`total 4.0 ${runId}`);
  });
});
