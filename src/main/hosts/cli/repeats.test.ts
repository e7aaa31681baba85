import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { createApp, type App } from '../../app/create-app.ts';
import { cliPlatform } from './platform.ts';

let app: App | undefined;
let folder = '';
afterEach(async () => {
  await app?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

it('a repeat of a stored run is refused at once if what it needs of this computer has gone', async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-repeat-'));
  app = await createApp(await cliPlatform(folder));
  const run = runRecord('20260101-120000-abcdef', { labId: 'lab', state: 'finished', endedAt: 2 });
  const { lab } = await app.api.call('lab.fromExample', { name: 'three-local-nodes', language: 'en' });
  const data = { type: 'upload', path: join(folder, 'pictures that were moved') } as const;
  await app.services.store.saveRun({ ...run, lab: { ...lab, experiment: { ...lab.experiment, data } } });
  await expect(
    app.api.call('run.queue', { from: { runId: run.id }, changes: [{ seed: 2 }] }),
  ).rejects.toMatchObject({
    code: 'lab_has_errors',
    params: { count: 1, first: expect.stringContaining('pictures that were moved') as string },
  });
  expect(await app.services.runs.list()).toHaveLength(1);
});
