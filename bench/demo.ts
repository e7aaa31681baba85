/** Measures the demo's wall time: `ringlab run` on the default example, cold and with everything already prepared. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { newDataFolder, project, removeDataFolder } from '../e2e/app-process.ts';
import { report } from './measure.ts';

const Result = z.object({ state: z.literal('finished'), top1: z.number() });

async function demo(data: string): Promise<{ seconds: number; top1: number }> {
  const begin = performance.now();
  const lab = join(project, 'assets', 'labs', 'three-local-nodes.lab.json');
  const child = spawn(
    process.execPath,
    [join(project, 'dist', 'main', 'cli.js'), 'run', lab, '--data', data, '--out', join(data, 'out')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { top1 } = Result.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
  return { seconds: (performance.now() - begin) / 1000, top1 };
}

/** Rounds of two runs each; three by default. */
const rounds = Number(process.argv[2] ?? 3);
const cold: number[] = [];
const warm: number[] = [];
const top1: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const folder = await newDataFolder();
  for (const kept of [cold, warm]) {
    const result = await demo(folder);
    kept.push(result.seconds);
    top1.push(result.top1);
  }
  await removeDataFolder(folder);
}
report('demo', [
  { what: 'demo, nodes bare', goal: '180 s', values: cold, unit: 's' },
  { what: 'demo, nodes ready', goal: '', values: warm, unit: 's' },
  { what: 'top-1', goal: 'above 60 %', values: top1, unit: '%' },
]);
