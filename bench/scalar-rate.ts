/**
 * Measures a script that logs 1,000 scalars a second on one local node: whether each is stored, and the processor time that the
 * node's collector and the app need for it. Arguments: minutes (3), scalars a second (1000).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createApp } from '../src/main/app/create-app.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { isEnded, type RunRecord } from '../src/shared/run/run.ts';
import { scriptLab } from './local-nodes.ts';
import { report } from './measure.ts';

const minutes = Number(process.argv[2] ?? 3);
const rate = Number(process.argv[3] ?? 1000);
const ticksPerSecond = 100;

/** Event files have a record a value: so has this, and all names by turns. */
const train = `
import time, ringlab
begin = time.time()
count = 0
while time.time() - begin < ${minutes * 60}:
    while count < (time.time() - begin) * ${rate}:
        ringlab.log({"group%d/value" % (count % 20): count * 0.5}, step=count)
        count += 1
    time.sleep(0.02)
print("wrote %d" % count, flush=True)
`;

/** Seconds of processor time of a process. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The collector of this run's node. */
function collectorOf(runId: string): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return argv.includes('collect') && argv.some((word) => word.includes(runId));
      } catch {
        return false;
      }
    });
}

process.env.RINGLAB_NETWORK = 'off';
const folder = await newDataFolder();
const source = join(folder, 'project');
await mkdir(source, { recursive: true });
await writeFile(join(source, 'train.py'), train);
const lab = scriptLab('A script that logs much', 1, source);
const app = await createApp(await cliPlatform(folder));
await app.services.provisioner.prepare(lab);
const ended = Promise.withResolvers<RunRecord>();
const running = Promise.withResolvers<undefined>();
app.services.events.subscribe((event) => {
  if (event.name !== 'run.changed') return;
  const { run } = event.data;
  const { state } = run;
  if (state === 'running') running.resolve(undefined);
  if (isEnded(state)) ended.resolve(run);
});
const { runId } = await app.services.runs.start(lab);
await Promise.race([running.promise, ended.promise]);
const begin = performance.now();
const before = process.cpuUsage();
let collector = 0;
const timer = setInterval(() => {
  const pid = collectorOf(runId);
  if (pid !== undefined) collector = cpuOf(pid);
}, 1000);
const { state, ranks } = await ended.promise;
clearInterval(timer);
const took = (performance.now() - begin) / 1000;
const { user, system } = process.cpuUsage(before);
const log = readFileSync(join(ranks[0]?.directory ?? '', 'log.txt'), 'utf8');
const wrote = Number(/wrote (\d+)/.exec(log)?.[1]);
const catalogue = await app.services.store.catalogue(runId);
const stored = catalogue.filter(({ kind }) => kind === 'scalar').reduce((sum, { points }) => sum + points, 0);
await app.close();
await removeDataFolder(folder);
if (state !== 'finished' || stored !== wrote)
  throw new Error(`${state}: ${stored} of ${wrote} scalars are stored`);
report('scalar-rate', [
  {
    what: `scalars a second, all ${stored} stored, for ${took.toFixed(0)} s`,
    goal: `${rate}`,
    values: [stored / took],
    unit: '',
  },
  { what: 'the node’s collector', goal: '10 % of a core', values: [(100 * collector) / took], unit: '%' },
  {
    what: 'the app: SSH, store, events',
    goal: '10 % of a core',
    values: [(100 * (user + system)) / 1e6 / took],
    unit: '%',
  },
]);
