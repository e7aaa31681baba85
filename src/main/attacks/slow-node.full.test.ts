/** Fault 41, the slow cases: a node that neither answers nor refuses. Each is given up in a minute or two. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { person, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';

let pool: TestPool;
let node: HostileNode | undefined;
beforeAll(async () => {
  pool = await testPool({
    person: person(() => ({ kind: 'secret', secret: 'open', remember: false })),
  });
});
afterEach(async () => {
  await node?.stop();
  node = undefined;
});
afterAll(() => pool.close());

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'none',
    (error: unknown) => (error instanceof RinglabError ? error.code : String(error)),
  );
const meet = async (manner: HostileManner, name: string) => {
  node = await startHostileNode(manner, name);
  return await pool.pool.session(node.target);
};

describe('fault 41: a node that does not answer', () => {
  it('to a channel request: the command is given up, and so is the connection', async () => {
    const session = await meet({ neverOpens: true }, 'never opens');
    const commands = Array.from({ length: 20 }, () => codeOf(session.run('true')));
    expect(await Promise.race(commands)).toBe('channel_refused');
    expect((await session.closed)?.code).toBe('connection_lost');
    for (const code of await Promise.all(commands))
      expect(['channel_refused', 'connection_lost']).toContain(code);
  }, 240_000);

  it('to the data of a file: the transfer is given up', async () => {
    const silent = (): void => undefined;
    const session = await meet(
      {
        sftp(sftp) {
          for (const name of ['OPEN', 'WRITE', 'READ', 'CLOSE', 'STAT', 'FSTAT'] as const)
            sftp.on(name, silent);
        },
      },
      'never answers',
    );
    const bytes = randomBytes(2_000_000);
    expect(await codeOf(session.upload({ bytes }, '~/large'))).toBe('transfer_failed');
    // The connection is still of use.
    expect(await session.run('echo here')).toBe('here\n');
  }, 240_000);
});
