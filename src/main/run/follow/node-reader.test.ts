import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSkippingClock } from '../../base/testing/skipping-clock.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { defaultSettings } from '../record/settings.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { mirrorPath } from './log-mirror.ts';
import { createNodeReader } from './node-reader.ts';
import { createNodeTrust } from './node-trust.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-reader-'))));
afterEach(() => rm(folder, { recursive: true }));

it('a log that is longer than its copy may be is reported whenever it grows, as those who show it read its end from the node', async () => {
  const clock = createSkippingClock();
  const store = createMemoryStore(folder);
  const sizes: number[] = [];
  const reader = createNodeReader({
    ...{ store, clock, settings: { ...defaultSettings, logMirrorBytes: 100 }, runId: 'r', nodeName: 'N' },
    listener: {
      appended: () => undefined,
      logGrew: (_, size) => sizes.push(size),
      problem: (error) => {
        throw error;
      },
    },
    signal: new AbortController().signal,
    trust: createNodeTrust(0, clock),
  });
  const directory = join(folder, 'rank-0');
  await mkdir(directory);
  const order = { ...{ nodeId: 'n', label: 'rank-0', directory, argv: [], env: {}, attempt: 1 } };
  const session = createLocalShell({ home: folder });
  const read = () => reader.read(session, [{ rank: 0, order }], true);
  for (let i = 0; i < 6; i += 1) {
    await appendFile(join(directory, 'log.txt'), 'x'.repeat(40));
    while ((await read()).more);
    // Nothing new, and nothing to report.
    expect(await read()).toEqual({ more: false, exited: false });
  }
  expect(sizes).toEqual([40, 80, 120, 160, 200, 240]);
  expect((await readFile(mirrorPath(store.runFolder('r'), 0))).length).toBe(100);
});
