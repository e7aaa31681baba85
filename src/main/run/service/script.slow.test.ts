/** Own scripts on local nodes, with the system's Python torch: services, SSH and processes are the real ones. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptRanks, waitOf } from '../../../shared/run/collective-wait.ts';
import { describeWait } from '../../../shared/run/collective-words.ts';
import { readOutputs } from '../artifacts/outputs.ts';
import { createScriptBench, runsScripts, type ScriptBench } from '../testing/script-bench.ts';
import { linesOf } from '../testing/stored-lines.ts';

let bench: ScriptBench;
beforeEach(async () => {
  bench = await createScriptBench('hush-hush');
});
afterEach(async () => {
  await bench.close();
});

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
print("loss: 0.25"); print("secret", len(os.environ["TOKEN"]))
print("cwd", pathlib.Path.cwd().name, os.environ["RINGLAB_RANK_DIR"], flush=True)
`;

const long = { timeout: 240_000 };

describe.skipIf(!runsScripts)('an own script on two local nodes', () => {
  it('trains with DDP, unchanged, in its own copy of the code', long, async () => {
    const runId = await bench.start(
      { 'train.py': ddp, 'helper.py': 'steps = 2\n', '.gitignore': 'big\n', 'big/data.bin': 'x' },
      {
        arguments: `--name 'a "b" c'`,
        environment: [
          { name: 'OWN', value: 'mine' },
          { name: 'TOKEN', secret: true },
        ],
      },
    );
    const run = await bench.until(runId, 'finished');
    expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'done']);
    for (const [rank, record] of run.ranks.entries()) {
      const text = await bench.log(run, rank);
      expect(text).toContain('equal True');
      expect(text).toContain('args a "b" c 0 0 2 mine');
      expect(text).toContain(`cwd code ${record.directory}`);
    }
    expect(await bench.log(run)).toContain('secret 9');
    // Neither in the record, nor in what is left of the run on the node.
    expect(JSON.stringify(run)).not.toContain('hush-hush');
    const left = await readdir(join(run.ranks[0]!.directory, '..'), { recursive: true, withFileTypes: true });
    for (const file of left.filter((entry) => entry.isFile()))
      expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain('hush-hush');
    const lines = await linesOf(bench.app.store, runId, 'rank-1');
    expect(lines.filter(({ kind }) => kind === 'scalar')).toMatchObject([
      { values: { [Object.keys(lines.find(({ kind }) => kind === 'scalar')!.values as object)[0]!]: 0.25 } },
    ]);
    expect(lines.at(-1)).toMatchObject({ kind: 'collect_end', attempt: 1 });
    expect(await bench.app.runs.written(runId)).toMatchObject({ files: [{ rank: 0, path: 'model.pt' }] });
    expect((await bench.app.runs.fetchWritten(runId, { rank: 0, path: 'model.pt' })).bytes).toBeGreaterThan(
      100,
    );
    expect(run.code?.files).toBe(3);
    expect(run.ranks[0]!.argv).toContain('--local_rank=0');
    const copy = join(run.ranks[0]!.directory, '..', 'code');
    await expect(readFile(join(copy, 'model.pt'))).resolves.toBeInstanceOf(Buffer);
    expect(bench.app.problems).toEqual([]);
  });

  it(
    'that hangs in a collective says which rank has not entered it, and where that rank is',
    long,
    async () => {
      const train = `
import time, torch, torch.distributed as dist
def pause():
    time.sleep(3600)
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(8))
if dist.get_rank() == 1: pause()
dist.all_reduce(torch.ones(64))
`;
      const runId = await bench.start(
        { 'train.py': train },
        { environment: [{ name: 'RINGLAB_QUIET_SECONDS', value: '2' }] },
      );
      const run = await bench.until(runId, 'running');
      const find = async () => {
        const { collectives } = await readOutputs(bench.app.store, runId);
        const wait = waitOf(collectives, scriptRanks(run), Date.now() / 1000 + 60);
        return wait === undefined ? undefined : { wait, said: describeWait(wait, Date.now() / 1000, 'en') };
      };
      await expect
        .poll(async () => (await find())?.wait.missing[0]?.place?.function, { timeout: 120_000 })
        .toBe('pause');
      const found = await find();
      expect(found?.said).toMatch(
        /^Not entered by rank 1: all_reduce \(64 float32\), collective \d+ of its group/,
      );
      expect(found?.wait.missing).toMatchObject([
        { rank: 1, place: { file: 'train.py', line: 4, function: 'pause', text: 'time.sleep(3600)' } },
      ]);
      expect(found?.wait.waiting).toMatchObject([
        { rank: 0, operation: { name: 'all_reduce', shape: [64] } },
      ]);
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped');
      // What is known of the hang is still there.
      expect((await find())?.wait.kind).toBe('missing');
      expect(bench.app.problems).toEqual([]);
    },
  );

  it('says what the time of each rank goes into, with the line', long, async () => {
    const train = `
import time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
def score(): time.sleep(0.05)
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(8, 8))
while True:
    loss = model(torch.ones(4, 8)).sum()
    if dist.get_rank() == 1: score()
    loss.backward()
`;
    const runId = await bench.start(
      { 'train.py': train },
      { environment: [{ name: 'RINGLAB_PROFILE_SCALE', value: '0.05' }] },
    );
    await bench.until(runId, 'running');
    const profiles = async () => (await readOutputs(bench.app.store, runId)).profiles;
    await expect
      .poll(async () => (await profiles()).map(({ rank }) => rank), { timeout: 120_000 })
      .toEqual([0, 1]);
    const [quick, late] = await profiles();
    expect(late?.places[0]).toMatchObject({ file: 'train.py', line: 4, function: 'score', part: 'other' });
    expect(quick?.places[0]).toMatchObject({ text: 'loss.backward()' });
    await bench.app.runs.stop(runId);
    await bench.until(runId, 'stopped');
    expect(bench.app.problems).toEqual([]);
  });

  it('that never calls init_process_group is said to train in each process by itself', long, async () => {
    const runId = await bench.start({ 'train.py': 'import time, torch\ntime.sleep(600)\n' });
    const run = await bench.until(runId, 'running');
    const find = async () => {
      const { collectives } = await readOutputs(bench.app.store, runId);
      // A minute later than it is.
      return waitOf(collectives, scriptRanks(run), Date.now() / 1000 + 90);
    };
    await expect.poll(async () => (await find())?.kind, { timeout: 120_000 }).toBe('alone');
    const found = await find();
    expect(describeWait(found!, Date.now() / 1000 + 90, 'en')).toContain('each of the 2 processes');
    await bench.app.runs.stop(runId);
    await bench.until(runId, 'stopped');
    expect(bench.app.problems).toEqual([]);
  });

  it('with a syntax error is found before anything is started', long, async () => {
    const runId = await bench.start({ 'train.py': 'import os\n\ndef f(:\n' });
    const run = await bench.failed(runId);
    expect(run.error).toMatchObject({ code: 'script_syntax', params: { path: 'train.py' } });
    expect(String(run.error?.params.said)).toMatch(/^line 3: SyntaxError/);
    expect(run.ranks).toEqual([]);
  });
});
