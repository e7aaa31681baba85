/**
 * Attack: nodes that train correctly but send false files. Each run finishes, its checkpoints are refused with a
 * reason, another lab trains beside them, and the app keeps answering.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RinglabError } from '../../shared/base/errors.ts';
import { serveSftp } from '../local/sftp-server.ts';
import { killBelow } from '../run/testing/bench.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';
import { cpuNode, startApp, type AppProcess } from './hostile-node/app-client.ts';
import { startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';
import { answers, sendRaw, type AnswerName } from './hostile-node/sftp.ts';

/** Bytes of the app's process, whatever its nodes do. */
const maxMemory = 500 * 1024 * 1024;

let folder: string;
let app: AppProcess;
const nodes: HostileNode[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-attack-'));
  app = await startApp(folder);
}, 60_000);
afterAll(async () => {
  await app.close();
  await Promise.all(nodes.map((node) => node.stop()));
  await killBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

/** Takes files as it should. What it gives is what a run left, and is as `bad` says. */
const badReads =
  (bad: AnswerName): NonNullable<HostileManner['sftp']> =>
  (sftp, connection) => {
    serveSftp(sftp, tmpdir());
    sftp.removeAllListeners('READ');
    sftp.on('READ', (id) => sendRaw(sftp, connection, answers[bad](id)));
  };
/** `nothing`: handles that never answer. */
const badFiles: readonly AnswerName[] = ['packetOf4GiB', 'names', 'largerData', 'ok', 'nothing'];
const codes = ['transfer_failed', 'hash_mismatch', 'node_nonsense', 'connection_lost'];

describe.skipIf(!trainerIsBuilt)('nodes whose files cannot be fetched, beside a good run', () => {
  it('each is refused with its reason, and nothing of them is kept', async () => {
    const good = await app.makeLab('Good', [cpuNode('a', { type: 'local' })], 3);
    const { runId: goodRun } = await app.call('run.start', { labId: good.id });
    const lying = await Promise.all(
      badFiles.map(async (bad) => {
        const node = await startHostileNode({ sftp: badReads(bad) }, bad);
        nodes.push(node);
        const access = {
          type: 'ssh',
          host: '127.0.0.1',
          port: node.port,
          user: 'mallory',
          authentication: { method: 'password' },
        } as const;
        const lab = await app.makeLab(bad, [cpuNode(bad, access)]);
        return { bad, runId: (await app.call('run.start', { labId: lab.id })).runId };
      }),
    );
    let answered = 0;
    let over = false;
    const asking = (async () => {
      while (!over) {
        await sleep(20);
        await app.call('run.list', {});
        answered += 1;
      }
    })();
    const ends = await Promise.all(
      lying.map(async ({ bad, runId }) => {
        const { state, error } = await app.ended(runId);
        const fetching = app.call('run.export', { runId, artifact: 'model_best.pth.tar', language: 'en' });
        const code = await fetching.then(
          () => 'none',
          (problem: unknown) => (problem as RinglabError).code,
        );
        return { bad, state, error, code, runId };
      }),
    );
    const run = await app.ended(goodRun);
    over = true;
    await asking;
    for (const { bad, state, error, code, runId } of ends) {
      expect([bad, state, error]).toEqual([bad, 'finished', undefined]);
      expect(codes, bad).toContain(code);
      const kept = await readdir(join(folder, 'data', 'runs', runId, 'artifacts'));
      expect(kept.filter((name) => !name.endsWith('.part'))).toEqual([]);
    }
    expect([run.state, run.error]).toEqual(['finished', undefined]);
    expect(answered).toBeGreaterThan(20);
    expect(await app.rss()).toBeLessThan(maxMemory);
  }, 600_000);
});
