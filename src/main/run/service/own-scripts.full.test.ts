/**
 * Full test: training scripts as users bring them, on two local nodes with the system's Python torch: services, SSH, processes
 * and the collector are the real ones. A slow test has the launch itself (script.slow.test.ts).
 */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import type { Script } from '../../../shared/lab/script.ts';
import type { RunOutputs } from '../../../shared/run/run-outputs.ts';
import { scriptRanks, waitOf } from '../../../shared/run/collective-wait.ts';
import { readOutputs } from '../artifacts/outputs.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ours = folder('../../../../assets/scripts');
const hostile = folder('../testing/scripts');
/** PyTorch's examples/imagenet/main.py of a version that the system's torch runs; not kept here. */
const mainPy = process.env.RINGLAB_MAIN_PY;
/** A Python with a torch of 2.x, lightning, tensorboardX, transformers and accelerate: 3 GB. */
const newPython = process.env.RINGLAB_SCRIPTS_PYTHON;

let bench: RealBench;
beforeEach(async () => {
  bench = await createRealBench();
  bench.lab.nodes.splice(2);
});
afterEach(async () => {
  await bench.close();
});

async function start(
  path: string,
  script: Pick<Script, 'file'> & Partial<Script>,
  nodes = 2,
  runtime: Runtime = { type: 'system' },
): Promise<string> {
  bench.lab.nodes.splice(nodes);
  bench.lab.experiment = {
    ...bench.lab.experiment,
    runtime,
    script: { source: { type: 'folder', path }, arguments: '', ...script },
  };
  return (await bench.app.runs.start(bench.lab)).runId;
}
const outputs = (runId: string): Promise<RunOutputs> => readOutputs(bench.app.store, runId);
async function values(runId: string, name: string): Promise<number[]> {
  const [series] = await bench.app.store.series({
    runId,
    series: [{ source: 'rank-0', kind: 'scalar', field: `values.${name}` }],
    x: 't',
    maxPoints: 5000,
  });
  return (series?.y ?? []).filter((y) => y !== null);
}
const long = { timeout: 600_000 };

describe.skipIf(!trainerIsBuilt)('scripts as users bring them', () => {
  it('a hand-written DDP loop learns, and its curves and its best checkpoint are there', long, async () => {
    const runId = await start(ours, { file: 'digits_ddp.py', arguments: '--epochs 3' });
    await bench.until(runId, 'finished', 500);
    const losses = await values(runId, 'loss');
    expect(losses.length).toBeGreaterThanOrEqual(12);
    expect(losses.at(-1)).toBeLessThan(losses[0]! / 2);
    expect((await values(runId, 'accuracy')).at(-1)).toBeGreaterThan(60);
    const found = await outputs(runId);
    expect(found.files.map(({ path }) => path)).toContain('best.pt');
    expect(found.problems).toEqual([]);
  });

  it('a DataParallel project with its own folder of networks, on one node', long, async () => {
    const runId = await start(hostile, { file: 'data_parallel.py' }, 1);
    await bench.until(runId, 'finished', 500);
    expect(await values(runId, 'Loss')).toHaveLength(30);
    expect((await outputs(runId)).files.map(({ path }) => path)).toEqual(['model_last.pth']);
  });

  it.skipIf(mainPy === undefined)('PyTorch’s main.py as it is', long, async () => {
    const project = join(bench.dataFolder, 'imagenet');
    await mkdir(project);
    await cp(mainPy!, join(project, 'main.py'));
    const runId = await start(
      project,
      {
        file: 'main.py',
        arguments:
          '--dummy -a squeezenet1_1 -b 4 --lr 0.001 --epochs 1 -p 1 -j 0 --dist-backend gloo --dist-url env:// --world-size -1',
      },
      1,
    );
    await bench.until(runId, (run) => run.state === 'running');
    await expect
      .poll(() => values(runId, 'train/Loss').then(({ length }) => length), { timeout: 300_000 })
      .toBeGreaterThan(3);
    expect((await outputs(runId)).scalars.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['train/Loss', 'train/Acc@1', 'train/Acc@5']),
    );
    await bench.app.runs.stop(runId);
    await bench.until(runId, 'stopped', 300);
  });

  it(
    'one that hangs in a collective names the rank that has not entered it, and is stopped',
    long,
    async () => {
      const runId = await start(hostile, { file: 'hangs.py' });
      const run = await bench.until(runId, 'running');
      await expect
        .poll(() => readFile(join(run.ranks[0]!.directory, 'log.txt'), 'utf8').catch(() => ''), {
          timeout: 120_000,
        })
        .toContain('rank 0 of 2');
      const wait = async () =>
        waitOf((await outputs(runId)).collectives, scriptRanks(run), Date.now() / 1000);
      await expect.poll(async () => (await wait())?.missing.map(({ rank }) => rank), long).toEqual([1]);
      expect((await wait())?.missing[0]?.place?.text).toBe('time.sleep(3600)');
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped', 300);
    },
  );

  it('one that runs out of memory says so', long, async () => {
    const runId = await start(hostile, { file: 'out_of_memory.py' }, 1);
    const run = await bench.until(runId, ({ state }) => state === 'failed', 300);
    expect(JSON.stringify(run.error)).toMatch(/memory/i);
    expect(await values(runId, 'loss')).toEqual([2.5]);
  });

  it('one that prints 10 MB a second ends, and its loss is charted', long, async () => {
    const runId = await start(hostile, { file: 'floods.py', arguments: '6' }, 1);
    const run = await bench.until(runId, 'finished', 500);
    const log = await readFile(join(run.ranks[0]!.directory, 'log.txt'), 'utf8');
    expect(log).toContain('\nwritten ');
    const losses = await values(runId, 'loss');
    expect(losses.length).toBeGreaterThan(5);
    expect(losses.at(-1)).toBeLessThan(0.5);
  });

  it('one whose arguments it does not know fails with what it said', long, async () => {
    const runId = await start(ours, { file: 'digits_ddp.py', arguments: '--epoch-count 3' });
    const run = await bench.until(runId, ({ state }) => state === 'failed', 300);
    expect(JSON.stringify(run.error)).toContain('unrecognized arguments: --epoch-count');
  });
});

describe.skipIf(!trainerIsBuilt || newPython === undefined)(
  'with a torch of 2.x (RINGLAB_SCRIPTS_PYTHON)',
  () => {
    const existing: Runtime = { type: 'existing', path: newPython ?? '' };
    const namesOf = async (runId: string): Promise<string[]> =>
      (await outputs(runId)).scalars.map(({ name }) => name);

    it('Lightning trains over two nodes, with its TensorBoard curves and its checkpoint', long, async () => {
      const script = { file: 'lightning_digits.py', arguments: '--nodes 2 --epochs 1 --train 300' };
      const runId = await start(ours, script, 2, existing);
      await bench.until(runId, 'finished', 500);
      expect(await namesOf(runId)).toEqual(expect.arrayContaining(['train/loss', 'val/accuracy']));
      expect((await outputs(runId)).files.map(({ path }) => path)).toEqual([
        expect.stringMatching(/^lightning_logs\/version_0\/checkpoints\/.*\.ckpt$/),
      ]);
    });

    it(
      'Hugging Face’s Trainer trains over two nodes, with the values of its dictionaries',
      long,
      async () => {
        const script = { file: 'transformers_grammar.py', arguments: '--epochs 1 --train 320' };
        const runId = await start(ours, script, 2, existing);
        await bench.until(runId, 'finished', 500);
        expect(await namesOf(runId)).toEqual(
          expect.arrayContaining(['loss', 'grad_norm', 'learning_rate', 'eval_loss', 'train_runtime']),
        );
        const losses = await values(runId, 'loss');
        expect(losses.at(-1)).toBeLessThan(losses[0]!);
      },
    );

    it('a transformer learns with ringlab.slow as with DistributedDataParallel', long, async () => {
      const script = { file: 'slow_links.py', arguments: '--steps 20 --mode local:1' };
      const runId = await start(ours, script, 2, existing);
      await bench.until(runId, 'finished', 590);
      const [ddp, slow] = [await values(runId, 'ddp/perplexity'), await values(runId, 'slow/perplexity')];
      expect(slow[0]).toBeLessThan(1.2 * ddp[0]!);
    });
  },
);
