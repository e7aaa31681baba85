import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { smallCheckpoint } from '../testing/checkpoint-file.ts';
import { makeArtifact } from './artifacts.ts';
import type { RunServices } from '../record/services.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-artifacts-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = {
  id: 'r',
  name: 'run',
  lab: emptyLab('l', 'lab'),
  ranks: [{ rank: 0, nodeId: 'n', directory: '/node/rank-0' }],
} as unknown as RunRecord; // makeArtifact reads only these fields of a checkpoint's run

it('downloads a checkpoint once for any number of simultaneous requests', async () => {
  const content = smallCheckpoint();
  const sha256 = createHash('sha256').update(content).digest('hex');
  let under = 0;
  let max = 0;
  let downloads = 0;
  const session = {
    exec: () => Promise.resolve({ code: 0, signal: null, stdout: `${sha256}  -\n`, stderr: '' }),
    async download(_remote: string, path: string) {
      downloads += 1;
      under += 1;
      max = Math.max(max, under);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await writeFile(path, content);
      under -= 1;
      return { bytes: content.length };
    },
  };
  const services = {
    store: { runFolder: () => folder },
    reach: { session: () => Promise.resolve(session) },
  } as unknown as RunServices; // a fake with the two services that fetching uses
  const files = await Promise.all([1, 2, 3].map(() => makeArtifact(services, run, 'model_best.pth.tar')));
  expect(max).toBe(1);
  expect(downloads).toBe(1);
  for (const file of files) expect(await readFile(file.path)).toEqual(content);
});

it('keeps the local copy if the node’s newer checkpoint is refused', async () => {
  const good = smallCheckpoint();
  let content: Buffer = good;
  const services = {
    store: { runFolder: () => folder },
    reach: {
      session: () =>
        Promise.resolve({
          exec: () => {
            const stdout = `${createHash('sha256').update(content).digest('hex')}  -\n`;
            return Promise.resolve({ code: 0, signal: null, stdout, stderr: '' });
          },
          async download(_remote: string, path: string) {
            await writeFile(path, content);
            return { bytes: content.length };
          },
        }),
    },
  } as unknown as RunServices; // as above
  const { path } = await makeArtifact(services, run, 'model_best.pth.tar');
  content = Buffer.from("cos\nsystem\n(S'id'\ntR.");
  await expect(makeArtifact(services, run, 'model_best.pth.tar')).rejects.toMatchObject({
    code: 'checkpoint_refused',
  });
  expect(await readFile(path)).toEqual(good);
  expect(await readdir(folder)).not.toContain('model_best.pth.tar.fetched');
});

describe('a checkpoint with other names', () => {
  const rank0 = {
    rank: 0,
    nodeId: 'n',
    nodeName: 'N1',
    directory: '/node/rank-0',
    argv: ['/node/bin/ringlab-train', '/data'],
    env: { OMP_NUM_THREADS: '1' },
  };
  const other = { ...run, ranks: [rank0] } as unknown as RunRecord; // as above, with what starts its trainer
  const made: string[] = [];
  const services = (code: number) =>
    ({
      store: { runFolder: () => folder },
      reach: {
        session: () =>
          Promise.resolve({
            exec: (command: string) => {
              made.push(command);
              const renames = command.includes('module-prefix');
              const stderr = renames && code !== 0 ? 'warning\nit holds no state_dict\n' : '';
              return Promise.resolve({ code: renames ? code : 0, signal: null, stdout: 'abc  -\n', stderr });
            },
            async download(remote: string, path: string) {
              made.push(`download ${remote}`);
              await writeFile(path, smallCheckpoint());
              return { bytes: 7 };
            },
          }),
      },
    }) as unknown as RunServices; // as above

  beforeEach(() => made.splice(0));

  it.each([
    ['checkpoint.ddp.pth.tar', 'on', 'checkpoint.pth.tar'],
    ['model_best.torchvision.pth.tar', 'off', 'model_best.pth.tar'],
  ] as const)(
    'is created by the run’s trainer, downloaded and removed: %s',
    async (artifact, prefix, source) => {
      const file = await makeArtifact(services(0), other, artifact);
      expect(await readFile(file.path)).toEqual(smallCheckpoint());
      expect(made[0]).toContain(`/node/rank-0/${source}`);
      expect(made[1]).toMatch(
        new RegExp(
          `ringlab-train'? '?module-prefix'? '?${prefix}'? '?/node/rank-0/${source}'? '?/node/rank-0/${artifact}`,
        ),
      );
      expect(made[2]).toBe(`download /node/rank-0/${artifact}`);
      expect(made[3]).toMatch(new RegExp(`^rm -f .*/node/rank-0/${artifact}`));
      // The same checkpoint is not created again.
      await makeArtifact(services(0), other, artifact);
      expect(made).toHaveLength(5);
    },
  );

  it('reports the trainer’s error if it cannot be created, and leaves no files', async () => {
    await expect(makeArtifact(services(3), other, 'model_best.ddp.pth.tar')).rejects.toMatchObject({
      code: 'rename_failed',
      params: { artifact: 'model_best.ddp.pth.tar', reason: 'it holds no state_dict' },
    });
    expect(made.at(-1)).toMatch(/^rm -f /);
    await expect(makeArtifact(services(91), other, 'model_best.ddp.pth.tar')).rejects.toMatchObject({
      code: 'trainer_gone',
    });
  });
});

it.skipIf(!existsSync('/dev/full'))(
  'fault 24: a full disk is named by an export, which leaves nothing',
  async () => {
    const folderOf = join(folder, 'artifacts');
    const rank: RankRecord = {
      ...{ rank: 0, nodeId: 'n', nodeName: 'N', localRank: 0, state: 'done', argv: ['train'], env: {} },
      directory: '/',
    };
    const planned = runRecord('r', { ranks: [rank] });
    const point: Point = { source: 'rank-0', line: { v: 1, seq: 0, t: 1, kind: 'step', loss: 0.5 } };
    const services = {
      store: {
        runFolder: () => folder,
        async *allLines() {
          await Promise.resolve();
          yield point;
        },
      },
    } as unknown as RunServices; // a fake with what these exports use
    await mkdir(folderOf);
    for (const artifact of ['metrics.csv', 'metrics.json', 'commands.sh'] as const) {
      const path = join(folderOf, artifact);
      await symlink('/dev/full', `${path}.part`);
      await expect(makeArtifact(services, planned, artifact)).rejects.toMatchObject({
        code: 'local_disk_full',
        params: { path },
      });
    }
    expect(await readdir(folderOf)).toEqual([]);
  },
);
