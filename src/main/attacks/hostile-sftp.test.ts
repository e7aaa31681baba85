/**
 * Attack: a node whose SFTP server sends false answers. Each transfer ends with a reason, takes little memory and
 * time, and writes nothing elsewhere.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import type { SshSession } from '../ssh/index.ts';
import { person, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startHostileNode, type HostileManner, type HostileNode } from './hostile-node/server.ts';
import {
  answering,
  limiting,
  answerNames,
  sendRaw,
  answers,
  type RequestKind,
  type SftpRecord,
} from './hostile-node/sftp.ts';

const mib = 1024 ** 2;
let folder = '';
let pool: TestPool;
let node: HostileNode | undefined;
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-hostile-sftp-'));
  mkdirSync(join(folder, 'here'));
  pool = await testPool({ person: person(() => ({ kind: 'secret', secret: 'open', remember: false })) });
  uncaught.length = 0;
  process.on('uncaughtException', note);
});
afterEach(async () => {
  process.off('uncaughtException', note);
  await pool.close();
  await node?.stop();
  node = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** What the node says of the file, whatever its SFTP server then gives. */
const announced =
  (size: number, sha256 = 'a'.repeat(64)): NonNullable<HostileManner['command']> =>
  (call) => {
    if (!call.script.includes('echo "size') || call.script.includes('free')) return false;
    call.begin();
    call.channel.write(`size ${size}\nsha ${sha256}\n`);
    call.end();
    return true;
  };
const meet = async (manner: HostileManner): Promise<SshSession> => {
  node = await startHostileNode(manner, 'mallory');
  return await pool.pool.session(node.target);
};
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof RinglabError ? error.code : `not named: ${String(error)}`),
  );
const named = ['transfer_failed', 'node_nonsense', 'hash_mismatch', 'connection_lost'];
const to = (): string => join(folder, 'here', 'model');
/** Nothing but a partial file beside the target, and nothing outside of its folder. */
const expectNothingElse = (): void => {
  expect(readdirSync(folder)).toEqual(['here']);
  for (const name of readdirSync(join(folder, 'here'))) expect(name).toMatch(/^\.ringlab-[0-9a-f-]+\.part$/);
  expect(uncaught).toEqual([]);
};

describe('a download from a hostile SFTP server', () => {
  const kinds: readonly RequestKind[] = ['open', 'read'];
  const never = new Set(['nothing']);
  const cases = kinds.flatMap((kind) =>
    answerNames
      // An honest answer to this request, or one that takes a minute (see hostile-sftp.full).
      .filter((bad) => !never.has(bad))
      .map((bad) => [kind, bad] as const),
  );
  it.each(cases)('%s answered with %s', async (kind, bad) => {
    const record: SftpRecord = { asked: new Set() };
    const session = await meet({ command: announced(100_000), sftp: answering(kind, bad, { record }) });
    expect(named).toContain(await codeOf(session.download('/run/model', to(), { max: mib })));
    expectNothingElse();
    // No folder is ever listed, no link followed, no attribute believed: nothing of that kind is asked.
    for (const asked of record.asked) expect(['open', 'read', 'write', 'close']).toContain(asked);
  });

  it.each(answerNames)('%s in addition to the right answer', async (bad) => {
    const content = Buffer.alloc(100_000, 'y');
    const session = await meet({
      command: announced(content.length, createHash('sha256').update(content).digest('hex')),
      sftp: answering('read', bad, { first: true }),
    });
    const code = await codeOf(session.download('/run/model', to(), { max: mib }));
    if (code === 'none') expect(readFileSync(to())).toEqual(content);
    else {
      expect(named).toContain(code);
      expectNothingElse();
    }
  });

  it('without a hash: bytes that were never sent are not in the file, such as memory of this process', async () => {
    const session = await meet({ command: announced(50_000, 'none'), sftp: answering('read', 'ok') });
    expect(await codeOf(session.download('/run/model', to(), { max: mib }))).toBe('transfer_failed');
    expect(existsSync(to())).toBe(false);
    expectNothingElse();
  });

  it('a file that changes at each read: the number of attempts is limited', async () => {
    let reads = 0;
    const session = await meet({
      command: announced(50_000, 'b'.repeat(64)),
      sftp: (sftp) => {
        sftp.on('error', () => undefined);
        sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('file')));
        sftp.on('READ', (id, _handle, _offset, length) => {
          reads += 1;
          sftp.data(id, Buffer.alloc(length, String(reads)));
        });
        sftp.on('CLOSE', (id) => sftp.status(id, 0));
      },
    });
    expect(await codeOf(session.download('/run/model', to(), { max: mib }))).toBe('hash_mismatch');
    expect(reads).toBeLessThan(20);
    expectNothingElse();
  });

  it('a folder in the place of the file, and a file that vanishes, between stat and open', async () => {
    for (const status of [4, 2, 3]) {
      const session = await meet({
        command: announced(50_000),
        sftp: (sftp) => {
          sftp.on('error', () => undefined);
          sftp.on('OPEN', (id) =>
            status === 4 ? sftp.handle(id, Buffer.from('dir')) : sftp.status(id, status),
          );
          sftp.on('READ', (id) => sftp.status(id, status));
          sftp.on('CLOSE', (id) => sftp.status(id, 0));
        },
      });
      expect(await codeOf(session.download('/run/model', to(), { max: mib }))).toBe('transfer_failed');
      pool.pool.drop('lab', 'mallory');
      await node?.stop();
    }
    expectNothingElse();
  });

  it('a file that arrives byte by byte is given up soon', async () => {
    let reads = 0;
    const session = await meet({
      command: announced(900_000),
      sftp: (sftp) => {
        sftp.on('error', () => undefined);
        sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('file')));
        sftp.on('READ', (id) => {
          reads += 1;
          sftp.data(id, Buffer.from('x'));
        });
        sftp.on('CLOSE', (id) => sftp.status(id, 0));
      },
    });
    expect(await codeOf(session.download('/run/model', to(), { max: mib }))).toBe('transfer_failed');
    expect(reads).toBeLessThan(10_000);
  });

  it('a server that reads one byte per request is asked few times: the file is fetched by a command', async () => {
    const asked: number[] = [];
    const session = await meet({
      command: (call) => {
        if (!call.script.startsWith('tail -c')) return announced(100_000)(call);
        call.begin();
        call.channel.write(Buffer.alloc(100_000, 'y'));
        call.end();
        return true;
      },
      subsystem: limiting(1n, (kind) => asked.push(kind)),
    });
    expect(await codeOf(session.download('/run/model', to(), { max: mib }))).toBe('hash_mismatch');
    // Its greeting, and its limits; no file is opened.
    expect(asked).toEqual([1, 200]);
    expectNothingElse();
  });

  it('a hundred thousand unrequested names allocate no memory', async () => {
    const before = process.memoryUsage().rss;
    const session = await meet({
      command: announced(100_000),
      sftp: (sftp, connection) => {
        sftp.on('error', () => undefined);
        sftp.on('OPEN', (id) => {
          const many = Buffer.concat(Array.from({ length: 20 }, () => answers.names(7_000_000)));
          for (let times = 0; times < 50; times += 1) setImmediate(() => sendRaw(sftp, connection, many));
          setImmediate(() => sftp.handle(id, Buffer.from('file')));
        });
        sftp.on('READ', (id) => sftp.status(id, 4));
        sftp.on('CLOSE', (id) => sftp.status(id, 0));
      },
    });
    expect(named).toContain(await codeOf(session.download('/run/model', to(), { max: mib })));
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * mib);
    expectNothingElse();
  });
});

describe('an upload to a hostile SFTP server', () => {
  const kinds: readonly RequestKind[] = ['write'];
  const cases = kinds.flatMap((kind) =>
    answerNames
      .filter((bad) => bad !== 'nothing' && !(kind !== 'open' && bad === 'ok'))
      .map((bad) => [kind, bad] as const),
  );
  it.each(cases)('%s answered with %s', async (kind, bad) => {
    const path = join(folder, 'here', 'source');
    writeFileSync(path, Buffer.alloc(300_000, 'z'));
    const session = await meet({ sftp: answering(kind, bad) });
    expect(named).toContain(await codeOf(session.upload({ path }, '~/in/model')));
    expect(uncaught).toEqual([]);
    expect(readdirSync(join(folder, 'here'))).toEqual(['source']);
  });
});
