/**
 * Measures what looking at an own script's stack costs: steps a second of a small model in one process, in which Python takes
 * most of the time, with and without, in turn. The distribution's Python; arguments: rounds (5), seconds of each (25).
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { repeat, report } from './measure.ts';

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 25);
const python = resolve(import.meta.dirname, '../python');

const program = `
import time, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
images, labels = torch.randn(16, 64), torch.randint(0, 10, (16,))
def train(seconds):
    begun, steps = time.time(), 0
    while time.time() - begun < seconds:
        for _ in range(50):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
        steps += 50
    return steps / (time.time() - begun)
train(1)
print(train(${seconds}))
`;

async function stepsPerSecond(profiled: boolean): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-profile-'));
  const script = join(folder, 'train.py');
  await writeFile(script, program);
  const env = {
    ...process.env,
    PYTHONPATH: [python, join(python, 'ringlab', 'startup')].join(delimiter),
    RINGLAB_RANK_DIR: folder,
    RINGLAB_PROFILE: profiled ? '1' : '0',
    RANK: '0',
    WORLD_SIZE: '1',
  };
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-B', script], { env });
  await rm(folder, { recursive: true });
  return Number(stdout);
}

const ratios = await repeat(rounds, async () => (await stepsPerSecond(true)) / (await stepsPerSecond(false)));
report('profile-cost', [
  { what: 'steps a second with the profiler, of those without', goal: '0.99 ×', values: ratios, unit: '×' },
]);
