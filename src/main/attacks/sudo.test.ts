/** Fault 22: real sudo with a real account: another user's password, no terminal, no permission; never a silent hang. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Question } from '../../shared/contract/prompts.ts';
import type { NodeFacts } from '../../shared/node/provision.ts';
import { createRights, forgetfulMemory } from '../provision/node/rights.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { createNodeShell } from '../provision/node/node-shell.ts';
import { createReadinessBook } from '../provision/node/readiness.ts';
import { systemClock } from '../base/clock.ts';
import { canMakeAccounts, makeAccount, removeAccount } from '../ssh/testing/accounts.ts';
import { targetOf, testPool } from '../ssh/testing/pool.ts';
import { startSshd } from '../ssh/testing/sshd.ts';

const canSudo = canMakeAccounts && existsSync('/usr/bin/sudo') && existsSync('/etc/sudoers.d');

describe.skipIf(!canSudo)('fault 22: sudo of a real account (needs root, useradd and sudo)', () => {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });

  const asAccount = async (rules: (user: string) => string) => {
    let password = '';
    const account = await makeAccount();
    undo.push(() => removeAccount(account));
    const change = (to: string): void => {
      execFileSync('chpasswd', { input: `${account.user}:${to}\n` });
      password = to;
    };
    change('geheim');
    const file = `/etc/sudoers.d/${account.user}`;
    writeFileSync(file, rules(account.user), { mode: 0o440 });
    undo.push(() => rmSync(file));
    const sshd = await startSshd({ accounts: true });
    undo.push(() => sshd.stop());
    const test = await testPool();
    undo.push(() => test.close());
    const session = await test.pool.session(targetOf(sshd, { user: account.user }));
    const asker = createAsker(() => ({ kind: 'secret', secret: password, remember: false }));
    const rights = createRights({ prompter: asker, memory: forgetfulMemory() }).of(session);
    const status = createReadinessBook(systemClock, () => undefined)
      .node('lab', 'node')
      .step('libraries');
    const shell = createNodeShell(session, status, new AbortController().signal);
    const facts = { root: false, sudo: 'password' } as Partial<NodeFacts> as NodeFacts; // what is asked for here
    const run = async (script: string): Promise<unknown> =>
      await rights.root(shell, facts, script, {}).catch((error: unknown) => error);
    return { run, change, asked: asker.questions };
  };
  const attempt = async (
    rules: (user: string) => string,
  ): Promise<{ outcome: unknown; asked: Question[] }> => {
    const { run, asked } = await asAccount(rules);
    return { outcome: await run('id -u'), asked };
  };

  it('runs with the account’s password, sudo’s lecture and a custom prompt', async () => {
    const { outcome } = await attempt(
      (user) => `Defaults:${user} lecture=always, passprompt="Really? "\n${user} ALL=(ALL) ALL\n`,
    );
    expect(outcome).toMatchObject({ code: 0, stdout: '0\n' });
  });

  it('asks again once the password was changed meanwhile, and not where a command fails by itself', async () => {
    const { run, change, asked } = await asAccount((user) => `${user} ALL=(ALL) ALL\n`);
    expect(await run('id -u')).toMatchObject({ code: 0 });
    expect(await run('exit 1')).toMatchObject({ code: 1 });
    expect(asked).toHaveLength(1);
    change('anders');
    expect(await run('id -u')).toMatchObject({ code: 0, stdout: '0\n' });
    expect(await run('id -u')).toMatchObject({ code: 0, stdout: '0\n' });
    expect(asked).toHaveLength(2);
  });

  it('asks for the password of the user that sudo’s configuration requires', async () => {
    const { outcome, asked } = await attempt((user) => `Defaults:${user} rootpw\n${user} ALL=(ALL) ALL\n`);
    expect(asked.map((question) => ('user' in question ? question.user : ''))).toEqual([
      expect.stringMatching(/^rl/),
      'root',
      'root',
    ]);
    expect(outcome).toMatchObject({ code: 'sudo_refused', params: { user: 'root' } });
  });

  it('reports that a password does not help if a terminal is required', async () => {
    const { outcome, asked } = await attempt(
      (user) => `Defaults:${user} requiretty\n${user} ALL=(ALL) ALL\n`,
    );
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ code: 'sudo_refused', detail: expect.stringMatching(/tty/) as string });
  });

  it('reports sudo’s message if the account has no permission', async () => {
    const { outcome } = await attempt((user) => `# nothing for ${user}\n`);
    expect(outcome).toMatchObject({ code: 'sudo_refused' });
    expect(String((outcome as { detail?: string }).detail)).not.toBe(''); // RinglabError, as matched above
  });
});
