/**
 * Measures the repeated preparation of 32 local nodes that are ready: by an app that has just started (32 SSH handshakes and
 * logins, both sides on this computer), and by one that is connected. The first preparation is not measured.
 */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createApp, type App } from '../src/main/app/create-app.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { stepIds } from '../src/shared/node/provision.ts';
import { emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import { localNodes } from './local-nodes.ts';
import { median, report, seconds } from './measure.ts';

const count = 32;
const rounds = 5;
const folder = await newDataFolder();
const start = async (): Promise<App> => createApp(await cliPlatform(folder));
const base = emptyLab(randomUUID(), 'prepare again');
const lab: LabDocument = {
  ...base,
  nodes: localNodes(count),
  experiment: { ...base.experiment, data: { type: 'shapes', train: 20, validation: 10, size: 16, seed: 3 } },
};

/** CPU seconds of this process and of the nodes' commands that it has waited for. */
function coreSeconds(): { own: number; commands: number } {
  // After the name, which may contain anything: utime and stime of the process, then those of its children, in hundredths.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  const [own = 0, ownSystem = 0, commands = 0, commandsSystem = 0] = fields.slice(11, 15);
  return { own: (own + ownSystem) / 100, commands: (commands + commandsSystem) / 100 };
}

const values = { started: [] as number[], connected: [] as number[], connecting: [] as number[] };
const spent = { own: [] as number[], commands: [] as number[] };
const steps = new Map<string, number[]>(stepIds.map((id) => [id, []]));
const prepared = (app: App) => (): Promise<unknown> => app.services.provisioner.prepare(lab);

let app = await start();
await prepared(app)();
await app.close();
for (let round = 0; round < rounds; round += 1) {
  app = await start();
  const { reach } = app.services;
  values.started.push(await seconds(prepared(app)));
  const before = coreSeconds();
  values.connected.push(await seconds(prepared(app)));
  const after = coreSeconds();
  spent.own.push(after.own - before.own);
  spent.commands.push(after.commands - before.commands);
  for (const { steps: records } of app.services.provisioner.status(lab))
    for (const { id, startedAt = 0, endedAt = 0, alreadyThere } of records) {
      if (!alreadyThere) throw new Error(`${id} was not there already`);
      steps.get(id)?.push(endedAt - startedAt);
    }
  await app.close();
  app = await start();
  const { reach: fresh } = app.services;
  if (fresh === reach) throw new Error('the app did not start anew');
  values.connecting.push(await seconds(() => Promise.all(lab.nodes.map(({ id }) => fresh.session(lab, id)))));
  await app.close();
}
await removeDataFolder(folder);
report('prepare-again', [
  { what: `${count} ready local nodes, app just started`, goal: '2 s', values: values.started, unit: 's' },
  { what: 'of that, connecting alone', goal: '', values: values.connecting, unit: 's' },
  { what: `${count} ready local nodes, connected`, goal: '2 s', values: values.connected, unit: 's' },
  { what: 'core seconds of the app and its SSH servers, connected', goal: '', values: spent.own, unit: 's' },
  { what: 'core seconds of the nodes’ commands, connected', goal: '', values: spent.commands, unit: 's' },
]);
for (const [id, took] of steps)
  process.stdout.write(`${id}: ${median(took).toFixed(2)} s of each node while all 32 are at work\n`);
