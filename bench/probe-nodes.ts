/** Measures reaching and examining 32 local nodes in parallel: 32 SSH servers, keys, sessions and one facts script each. */
import { randomUUID } from 'node:crypto';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createApp } from '../src/main/app/create-app.ts';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import { localNodes } from './local-nodes.ts';
import { repeat, report, seconds } from './measure.ts';

const count = 32;
const folder = await newDataFolder();
const app = await createApp(await cliPlatform(folder));
const again: number[] = [];
const first = await repeat(5, async (round) => {
  const lab: LabDocument = {
    ...emptyLab(randomUUID(), `probe ${round}`),
    nodes: localNodes(count),
  };
  const probeAll = (): Promise<unknown> =>
    Promise.all(lab.nodes.map((node) => app.services.provisioner.probe(lab, node.id)));
  const cold = await seconds(probeAll);
  again.push(await seconds(probeAll));
  return cold;
});
await app.close();
await removeDataFolder(folder);
report('probe-nodes', [
  { what: `${count} local nodes, first time`, goal: '3 s', values: first, unit: 's' },
  { what: `${count} local nodes, connected`, goal: '', values: again, unit: 's' },
]);
