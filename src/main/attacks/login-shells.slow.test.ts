/**
 * Finding: login shells that break the protocol. With real accounts and a real sshd: what is possible works, and
 * otherwise the error names the file and line to change.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeError, detailLines } from '../../shared/i18n/error-texts.ts';
import { languages } from '../../shared/base/language.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import type { SshSession } from '../ssh/index.ts';
import {
  canMakeAccounts,
  makeAccount,
  removeAccount,
  type Account,
  type AccountOptions,
} from '../ssh/testing/accounts.ts';
import { targetOf, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startSshd, type Sshd, type SshdOptions } from '../ssh/testing/sshd.ts';

const bash = (bashrc: string): AccountOptions => ({ files: { '.bashrc': bashrc } });

describe.skipIf(!canMakeAccounts)('login shells of real accounts (needs root and useradd)', () => {
  let shared: Sshd;
  let test: TestPool;
  const undo: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    shared = await startSshd({ accounts: true });
    test = await testPool();
  });
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });
  afterAll(async () => {
    await test.close();
    await shared.stop();
  });

  interface Place {
    readonly session: SshSession;
    readonly account: Account;
  }
  const login = async (options: AccountOptions, server?: SshdOptions): Promise<Place> => {
    const account = await makeAccount(options);
    undo.push(() => removeAccount(account));
    const sshd = server === undefined ? shared : await startSshd({ accounts: true, ...server });
    if (server !== undefined) undo.push(() => sshd.stop());
    const session = await test.pool.session(targetOf(sshd, { user: account.user, nodeId: account.user }));
    undo.push(() => {
      test.pool.drop('lab', account.user);
      return Promise.resolve();
    });
    return { session, account };
  };
  /** Everything that scripts rely on: bytes in and out, exit status, plain words, tools, folders. */
  const works = async ({ session, account }: Place): Promise<void> => {
    const script = `printf '%s|' it\\'s "$HOME"; cd / && cd "$HOME" && pwd; cat; ls -d /; mkdir -p x && : > x/f; : > x/f; tar -cf - x | tar -tf -; expr 1 + 1; printf '%.1f\\n' 1.5; echo $UNSET; (for w in 'a b'; do printf '[%s]' $w; done); false; echo e >&2; exit 7`;
    await expect(session.exec(script, { stdin: 'in!\n' })).resolves.toEqual({
      code: 7,
      signal: null,
      stdout: `it's|${account.home}|${account.home}\nin!\n/\nx/\nx/f\n2\n1.5\n\n[a][b]`,
      stderr: 'e\n',
    });
    expect(await session.home()).toBe(account.home);
  };
  const fails = async (
    { session }: Place,
    code: string,
    params: Record<string, unknown> = {},
    timeoutMs = 60_000,
  ): Promise<RinglabError> => {
    // The way of short commands is another than that of long ones.
    const said = [true, false].map((brief) => session.exec('echo ran', { timeoutMs, brief }));
    const [first, error]: unknown[] = await Promise.all(
      said.map((one) =>
        one.then(
          ({ stdout }) => new Error(`it ran: ${stdout}`),
          (thrown: unknown) => thrown,
        ),
      ),
    );
    expect(first).toMatchObject({ code });
    if (!(error instanceof RinglabError)) throw error;
    expect(error).toMatchObject({ code, params });
    for (const language of languages) {
      expect(detailLines(error, language)).not.toEqual([]);
      const { message, hint } = describeError(error, language);
      expect(`${message} ${hint}`).not.toMatch(/\{\w+\}|\?(?:\s|$)/);
    }
    return error;
  };

  describe('work in spite of', () => {
    const startups: Record<string, string> = {
      'a read that waits for input': 'read -r answer\n',
      'a read of a single character': 'read -r -n 1 -p "Press a key" key\n',
      'a question asked three times': 'for i in 1 2 3; do read -r -p "Yes? " answer; done\n',
      'exec zsh': 'exec /usr/bin/zsh\n',
      'exec bash': '[ -n "$AGAIN" ] || AGAIN=1 exec bash\n',
      'tmux attach': 'tmux attach || tmux new\n',
      'megabytes of output': 'seq 1 1000000; seq 1 300000 >&2\n',
      'a PATH that leads nowhere': 'export PATH=/nonexistent\n',
      'an empty PATH': 'export PATH=\n',
      'no PATH at all': 'unset PATH\n',
      'strict options and noclobber': 'set -euC; export SHELLOPTS\n',
      'aliases and exported functions':
        'alias ls=false; cd() { echo cd; }; mkdir() { return 1; }; export -f cd mkdir\n',
      'BASH_ENV and ENV': 'echo "echo noise; exit 9" > ~/env; export BASH_ENV=~/env ENV=~/env\n',
      'another language': 'export LANG=zh_CN.UTF-8 LC_ALL=de_DE.UTF-8 LANGUAGE=de\n',
      'TMOUT and CDPATH': 'export TMOUT=1 CDPATH=/tmp:/\n',
      'options for tar, df, ls, gzip and ps':
        "export TAR_OPTIONS='--exclude=*' GZIP=-v XZ_OPT=-9 POSIXLY_CORRECT=1 BLOCK_SIZE=1G TIME_STYLE=full-iso COLUMNS=5\n",
      'odd separators': "export IFS='/-0'\n",
      'a trap and a prompt command': "trap 'echo bye' EXIT; PROMPT_COMMAND='echo p'\n",
    };
    for (const [name, bashrc] of Object.entries(startups)) {
      const needed = /exec (\/\S+)/.exec(bashrc)?.[1];
      it.skipIf(needed !== undefined && !existsSync(needed))(`${name} in .bashrc`, async () => {
        await works(await login(bash(bashrc)));
      });
    }

    for (const shell of ['/usr/bin/zsh', '/usr/bin/fish', '/usr/bin/tcsh', '/bin/dash', '/usr/bin/xonsh']) {
      it.skipIf(!existsSync(shell))(`${shell} as login shell`, async () => {
        await works(await login({ shell }));
      });
    }

    it('umask 000: nothing is writable for all; umask 077: private files stay private', async () => {
      const open = await login(bash('umask 000\n'));
      expect(await open.session.run('umask')).toMatch(/^0*22\n$/);
      const closed = await login(bash('umask 077\n'));
      expect(await closed.session.run('umask')).toMatch(/^0*77\n$/);
    });
  });

  describe('report the cause and its place', () => {
    it('exit in .bashrc', async () => {
      const place = await login(bash('# exit\nexport A=1\nexit 0\n'));
      await fails(place, 'login_shell_exits', { code: 0, line: '~/.bashrc, line 3: exit 0' });
    });

    it('exit within a condition, after some output, with escape sequences', async () => {
      const place = await login(bash('echo -e "\\033]0;title\\007welcome"\nif true; then exit 3; fi\n'));
      const params = { code: 3, line: '~/.bashrc, line 2: if true; then exit 3; fi' };
      const error = await fails(place, 'login_shell_exits', params);
      expect(error.detail).toContain('welcome');
      expect(error.detail).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    });

    it.skipIf(!existsSync('/usr/bin/fish'))('exec fish in .bashrc', async () => {
      const place = await login(bash('exec fish\n'));
      await fails(place, 'login_shell_replaced', { line: '~/.bashrc, line 1: exec fish' });
    });

    it.skipIf(!existsSync('/usr/bin/tmux'))('exec tmux in .bashrc', async () => {
      const place = await login(bash('\nexec tmux new -A -s main\n'));
      const line = '~/.bashrc, line 2: exec tmux new -A -s main';
      const error = await fails(place, 'login_shell_replaced', { line });
      expect(error.detail).toMatch(/terminal/);
    });

    it('a start-up file that never ends', async () => {
      const place = await login(bash('echo wait\nsleep 300\n'));
      const params = { seconds: 5, line: '~/.bashrc, line 2: sleep 300' };
      const error = await fails(place, 'login_shell_waits', params, 5000);
      expect(error.detail).toBe('wait');
    });

    it('endless output', async () => {
      const place = await login(bash('while :; do yes | head -n 1000000; done\n'));
      const line = '~/.bashrc, line 1: while :; do yes | head -n 1000000; done';
      await fails(place, 'login_shell_endless', { line });
    });

    it('a restricted shell', async () => {
      await fails(await login({ shell: '/bin/rbash' }), 'login_shell_restricted');
    });

    it.each(['/usr/sbin/nologin', '/bin/false'])('%s as login shell', async (shell) => {
      await fails(await login({ shell }), 'login_shell_none', { shell });
    });

    it('ForceCommand internal-sftp', async () => {
      const place = await login({}, { extraConfig: ['ForceCommand internal-sftp'] });
      await fails(place, 'login_sftp_only');
    });

    it('ForceCommand with a menu', async () => {
      const menu = `/tmp/ringlab-menu-${process.pid}`;
      const script =
        '#!/bin/sh\necho "1) backup  2) quit"\nwhile read -r c; do echo "no such choice"; done\n';
      await writeFile(menu, script, { mode: 0o755 });
      undo.push(() => rm(menu));
      const place = await login({}, { extraConfig: [`ForceCommand ${menu}`] });
      const error = await fails(place, 'login_forced_command');
      expect(error.detail).toContain('1) backup');
    });

    it('exit in .bashrc if there is no SFTP to read it', async () => {
      const place = await login(bash('exit 0\n'), { sftp: 'off' });
      await fails(place, 'login_shell_exits', { line: '~/.bashrc' });
    });

    it.skipIf(!existsSync('/usr/bin/zsh'))('exit in .zshenv', async () => {
      const place = await login({ shell: '/usr/bin/zsh', files: { '.zshenv': 'exit 4\n' } });
      await fails(place, 'login_shell_exits', { line: '~/.zshenv, line 1: exit 4' });
    });
  });
});
