/**
 * Finding: unusable home folders and invalid facts. With real accounts and mounts: each has its own error, and a
 * usable folder works.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeError, detailLines, errorLines } from '../../shared/i18n/error-texts.ts';
import { languages } from '../../shared/base/language.ts';
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import { factsScript } from '../provision/node/facts-script.ts';
import { parseFacts, type NodeReport } from '../provision/node/facts.ts';
import type { SshSession } from '../ssh/index.ts';
import { canMakeAccounts, makeAccount, removeAccount, type Account } from '../ssh/testing/accounts.ts';
import { targetOf, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startSshd, type Sshd } from '../ssh/testing/sshd.ts';

const execute = promisify(execFile);
const canMount = await execute('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).then(
  () => true,
  () => false,
);

const clock = { before: 1, after: 2 };
const codeOf = (output: string): RinglabError => {
  try {
    parseFacts(output, clock);
  } catch (error) {
    if (error instanceof RinglabError) return error;
    throw error;
  }
  throw new Error('it was understood');
};

describe.skipIf(!canMakeAccounts)('homes of real accounts (needs root and useradd)', () => {
  let sshd: Sshd;
  let test: TestPool;
  const undo: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    sshd = await startSshd({ accounts: true });
    test = await testPool();
  });
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });
  afterAll(async () => {
    await test.close();
    await sshd.stop();
  });

  const account = async (home?: string): Promise<Account> => {
    const made = await makeAccount(home === undefined ? {} : { home });
    undo.push(() => removeAccount(made));
    return made;
  };
  const login = async ({ user }: Account): Promise<SshSession> => {
    const session = await test.pool.session(targetOf(sshd, { user, nodeId: user }));
    undo.push(() => {
      test.pool.drop('lab', user);
      return Promise.resolve();
    });
    return session;
  };
  const factsOf = async (who: Account): Promise<NodeReport> => {
    const session = await login(who);
    return parseFacts(await session.run(factsScript, { timeoutMs: 60_000 }), clock);
  };
  const mounted = async ({ home, user }: Account, options: string): Promise<void> => {
    const all = `size=1m,uid=${user},mode=755,${options}`;
    await execute('mount', ['-t', 'tmpfs', '-o', all, 'tmpfs', home]);
    undo.push(() => execute('umount', ['-l', home]));
  };

  it('an ordinary home is usable', async () => {
    expect((await factsOf(await account())).homeFault).toBeUndefined();
  });

  it('a missing home', async () => {
    const who = await account('/nonexistent/$(touch /tmp/never)/x');
    const home = JSON.stringify(who.home);
    expect((await factsOf(who)).homeFault).toMatchObject({ code: 'home_missing', params: { home } });
  });

  it('a home that is empty, relative or has two lines', async () => {
    for (const home of ['', 'relative', '"a\\nb"']) {
      const server = await startSshd({ accounts: true, extraConfig: [`SetEnv HOME=${home}`] });
      undo.push(() => server.stop());
      const { user } = await account();
      const session = await test.pool.session(targetOf(server, { user, nodeId: `${user}${home}` }));
      await expect(session.home()).rejects.toMatchObject({ code: 'home_missing' });
      const said = await session.run(factsScript, { timeoutMs: 60_000 });
      expect(codeOf(said).code).toBe('home_missing');
    }
  });

  it.skipIf(!canMount)('a read-only home', async () => {
    const who = await account();
    await mounted(who, 'ro');
    expect((await factsOf(who)).homeFault).toMatchObject({
      code: 'home_read_only',
      params: { user: who.user, folder: who.home },
    });
  });

  it.skipIf(!canMount)('a home of another user', async () => {
    const who = await account();
    await mounted(who, 'uid=0');
    expect((await factsOf(who)).homeFault).toMatchObject({ code: 'home_read_only' });
  });

  it.skipIf(!canMount)('a home on a noexec mount, and the link that solves it', async () => {
    const who = await account();
    await mounted(who, 'noexec');
    expect((await factsOf(who)).homeFault).toMatchObject({
      code: 'home_noexec',
      params: { folder: who.home, mount: who.home },
    });
    const elsewhere = `/tmp/ringlab-scratch-${who.user}`;
    await mkdir(elsewhere, { mode: 0o755 });
    undo.push(() => rm(elsewhere, { recursive: true }));
    await execute('chown', [who.user, elsewhere]);
    await symlink(elsewhere, join(who.home, '.ringlab'));
    expect((await factsOf(who)).homeFault).toBeUndefined();
  });
});

describe('facts that cannot be parsed', () => {
  const whole =
    'os=Linux\narch=x86_64\nuid=0\nhome=/root\ntime=1700000000.5\ncpus=4\nmemory_kib=1\ndisk_kib=1\nend=yes\n';

  it('are reported with the fact, the answer and the command to check', () => {
    expect(parseFacts(whole, clock).facts.cpus).toBe(4);
    const error = codeOf(whole.replace('cpus=4', 'cpus=\u001b]0;x\u0007bash: nproc: not found'));
    expect(error).toMatchObject({
      code: 'facts_unreadable',
      params: {
        fact: 'cpus',
        said: '"\\u001b]0;x\\u0007bash: nproc: not found"',
        command: 'nproc',
        wanted: '8',
      },
    });
  });

  it.each([
    ['nothing', ''],
    ['a message', 'bash: sh: command not found'],
    ['a flood', 'x'.repeat(100_000)],
    ['the first line alone', 'os=Linux\n'],
    ['escape sequences', '\u0000\u001b[2J\u001b]0;x\u0007x'],
  ])('are reported for another answer: %s', (_what, output) => {
    const error = codeOf(output);
    expect(error.code).toBe('facts_unreadable');
    expect(String(error.params.said).length).toBeLessThan(1300);
    for (const language of languages) {
      const { message, hint } = describeError(toWireError(error), language);
      expect(`${message}${hint}`).not.toMatch(/Invalid input|expected|[\u0000-\u001f]|\{\w+\}/);
    }
    expect(errorLines(toWireError(error), 'en').length).toBeGreaterThan(2);
  });
});

describe('the output of a failed command', () => {
  it('is shown as its last lines, without escape sequences', () => {
    const detail = `${'line\n'.repeat(40)}\u001b[31mred\u001b[0m\r\n\u001b]52;c;aGk=\u0007end\n\n`;
    expect(detailLines({ detail, params: {} }, 'en', 3)).toEqual(['line', 'red', ']52;c;aGk=end']);
    expect(detailLines({ params: {} }, 'en')).toEqual([]);
  });
});
