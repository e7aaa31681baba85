/**
 * Measures the time from the click to the first line that an own script prints, on three local nodes that were prepared
 * before: with the code as it was, and with one file changed. The distribution's Python; argument: rounds (5).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createApp, type App } from '../src/main/app/create-app.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import type { LabDocument } from '../src/shared/lab/lab.ts';
import { scriptLab } from './local-nodes.ts';
import { repeat, report } from './measure.ts';

const rounds = Number(process.argv[2] ?? 5);
/** Beside the script, as many modules as a small project has. */
const modules = 40;

/** Seconds from the click to the first byte of any rank's log in the app. */
async function firstLine(app: App, lab: LabDocument): Promise<number> {
  const { events, runs } = app.services;
  const first = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<undefined>();
  const begin = performance.now();
  const stop = events.subscribe((event) => {
    if (event.name === 'run.log' && event.data.size > 0) first.resolve((performance.now() - begin) / 1000);
    if (event.name !== 'run.changed') return;
    const { state, error } = event.data.run;
    if (state === 'failed') first.reject(new Error(`the run failed: ${error?.code ?? ''}`));
    if (['finished', 'stopped', 'failed'].includes(state)) ended.resolve(undefined);
  });
  try {
    await runs.start(lab);
    const took = await first.promise;
    await ended.promise;
    return took;
  } finally {
    stop();
  }
}

process.env.RINGLAB_NETWORK = 'off';
const folder = await newDataFolder();
const source = join(folder, 'project');
const train = (mark: string): Promise<void> =>
  writeFile(join(source, 'train.py'), `print("first line ${mark}", flush=True)\n`);
await mkdir(join(source, 'nets'), { recursive: true });
for (let index = 0; index < modules; index += 1)
  await writeFile(join(source, 'nets', `part${index}.py`), `value = ${index}\n`.repeat(50));
await train('0');
const lab = scriptLab('Script on three ready nodes', 3, source);
const app = await createApp(await cliPlatform(folder));
await app.services.provisioner.prepare(lab);
await firstLine(app, lab);
const same = await repeat(rounds, () => firstLine(app, lab));
const changed = await repeat(rounds, async (round) => {
  await train(String(round + 1));
  return firstLine(app, lab);
});
await app.close();
await removeDataFolder(folder);
report('script-start', [
  { what: 'the same code', goal: '2 s', values: same, unit: 's' },
  { what: 'one file changed', goal: '2 s', values: changed, unit: 's' },
]);
