/** Counts the SSH sessions that a run opens on a node: servers limit them (MaxSessions) and log each. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { startSshd, type Sshd } from '../../ssh/testing/sshd.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';

let bench: RealBench | undefined;
let sshd: Sshd | undefined;
afterEach(async () => {
  await bench?.close();
  await sshd?.stop();
});

it.skipIf(!trainerIsBuilt)(
  'a ready node gets at most five sessions and one login from the click to the first step',
  { timeout: 300_000 },
  async () => {
    sshd = await startSshd({ extraConfig: ['LogLevel VERBOSE'] });
    const server = sshd;
    bench = await createRealBench({ epochs: 1 });
    await mkdir(join(bench.dataFolder, '.ssh'));
    await writeFile(join(bench.dataFolder, '.ssh', 'known_hosts'), `${server.knownHostsLine}\n`);
    const [node] = bench.lab.nodes;
    if (node === undefined) throw new Error('the bench has nodes');
    const lab: LabDocument = {
      ...bench.lab,
      nodes: [
        {
          ...node,
          access: {
            type: 'ssh',
            host: server.host,
            port: server.port,
            user: server.user,
            authentication: { method: 'key', keyFile: server.keyFile },
          },
        },
      ],
    };
    const count = (what: RegExp): number => server.log().match(what)?.length ?? 0;
    const first = await bench.app.runs.start(lab);
    await bench.until(first.runId, 'finished', 120);

    const before = { sessions: count(/Starting session/g), logins: count(/Accepted publickey/g) };
    await bench.restart();
    const { runId } = await bench.app.runs.start(lab);
    await bench.until(runId, ({ step, state }) => step > 0 || state === 'finished');
    expect(count(/Starting session/g) - before.sessions).toBeLessThanOrEqual(5);
    expect(count(/Accepted publickey/g) - before.logins).toBe(1);
    await bench.until(runId, 'finished', 120);
  },
);
