/**
 * Fault 47: an installation that holds the package manager's lock survives the app's end, and is found again; a
 * cancelled step stops it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { canMakeAccounts, makeAccount, removeAccount } from '../../ssh/testing/accounts.ts';
import { targetOf, testPool } from '../../ssh/testing/pool.ts';
import { startSshd } from '../../ssh/testing/sshd.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { runLasting, settleLasting, systemChange, type Lasting } from './lasting.ts';
import { createNodeShell, type NodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';
import { createRights, forgetfulMemory } from './rights.ts';
import { machineTag } from './turn.ts';
import { createAsker } from '../testing/asker.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let folder = '';
const undo: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lasting-'));
});
afterEach(async () => {
  writeFileSync(join(folder, 'go'), '');
  for (const each of undo.splice(0).reverse()) await each();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const placeOf = (hostname: string): string =>
  join(folder, '.ringlab', 'installing', `system-${machineTag({ hostname })}`);
const go = (): void => writeFileSync(join(folder, 'go'), '');
const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
/** Prints what apt prints, records its pid, and continues when the test says so. */
const untilGo = (words: string): string => `#!/bin/sh
echo "$$ $*" >>${folder}/calls
echo '${words}'; echo "on stderr: ${words}" >&2
tries=0
while [ ! -e ${folder}/go ] && [ "$tries" -lt 600 ]; do tries=$((tries + 1)); sleep 0.1; done
echo 'that was all'
`;
const downloading = (): Record<'apt-get', string> => ({ 'apt-get': untilGo('Get:1 libtorch') });
const unpacking = (): Record<'apt-get' | 'dpkg', string> => ({
  'apt-get': '#!/bin/sh\ndpkg --unpack\n',
  dpkg: untilGo('Unpacking libtorch'),
});

interface Preparation {
  readonly shell: NodeShell;
  readonly facts: NodeFacts;
  readonly cancel: AbortController;
  said(): string;
  /** The app is killed or its connection lost: its processes on the node get SIGHUP. */
  lose(): void;
}

function prepare(programs: Record<string, string>, bin = 'bin', hostname = 'anna'): Preparation {
  const path = `${programsOnly(join(folder, bin), programs)}:${process.env.PATH ?? ''}`;
  const lost = new AbortController();
  const local = createLocalShell({ home: folder, path });
  const session: SshSession = {
    ...local,
    exec: (script, how = {}) =>
      local.exec(script, {
        ...how,
        signal: AbortSignal.any([lost.signal, ...(how.signal ? [how.signal] : [])]),
      }),
  };
  return over(session, { home: folder, root: true, hostname }, () => lost.abort());
}

function over(session: SshSession, facts: Partial<NodeFacts>, lose: () => void): Preparation {
  const status = new StepStatus(
    'libraries',
    () => undefined,
    () => undefined,
  );
  const cancel = new AbortController();
  return {
    shell: createNodeShell(session, status, cancel.signal),
    facts: facts as NodeFacts, // what is asked for here
    cancel,
    said: () => linesIn(status.log.lines, 'en'),
    lose,
  };
}

const install = (
  { shell, facts }: Preparation,
  how: Partial<Lasting> = {},
  work = 'apt-get install libtorch',
): ReturnType<typeof runLasting> =>
  runLasting({ shell, facts }, work, { ...systemChange, ...how }, { label: 'apt-get install' });
const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 20 }).toBe(true);
const isThere = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
const pidOf = (call: string | undefined): number => Number(call?.split(' ')[0]);

describe('fault 47: an installation', () => {
  it('that completes returns its output and exit code, and leaves no files', async () => {
    const one = prepare({ 'apt-get': "#!/bin/sh\nprintf 'fünf\\nno line end'; echo 'E: no' >&2; exit 7\n" });
    const result = await install(one);
    expect(result).toMatchObject({ code: 7, stderr: 'E: no\n' });
    expect(result.stdout.trim()).toBe('fünf\nno line end');
    expect(readdirSync(join(folder, '.ringlab', 'installing'))).toEqual([]);
  });

  it('started by a killed app is followed by the next app from its first output on, and not started again', async () => {
    const killed = prepare(downloading());
    const first = install(killed);
    await until(() => killed.said().includes('Get:1 libtorch'));
    killed.lose();
    await expect(first).rejects.toThrow();
    expect(isThere(pidOf(calls()[0]))).toBe(true);

    const next = prepare(downloading());
    const second = install(next);
    await until(() => next.said().includes('on stderr: Get:1 libtorch'));
    expect(next.said()).toContain('waiting for an earlier installation of Ringlab that still runs here');
    go();
    expect(await second).toMatchObject({ code: 0 });
    expect(next.said()).toContain('that was all');
    expect(calls()).toHaveLength(1);
  });

  it('of another kind is awaited before the new one is started', async () => {
    const killed = prepare(downloading());
    const first = install(killed);
    await until(() => killed.said().includes('Get:1 libtorch'));
    killed.lose();
    await expect(first).rejects.toThrow();
    const next = prepare(downloading());
    const second = install(next, {}, 'apt-get install g++');
    await until(() => next.said().includes('waiting for an earlier installation'));
    expect(calls()).toHaveLength(1);
    go();
    expect(await second).toMatchObject({ code: 0 });
    expect(calls().map((call) => call.replace(/^\d+ /, ''))).toEqual(['install libtorch', 'install g++']);
  });

  it('can be awaited without starting one: the step then checks again', async () => {
    const where = prepare(downloading());
    expect(await settleLasting(where, systemChange, 20_000)).toBe(false);
    const first = install(where);
    await until(() => where.said().includes('Get:1 libtorch'));
    where.lose();
    await expect(first).rejects.toThrow();
    const next = prepare(downloading());
    const settled = settleLasting(next, systemChange, 20_000);
    await until(() => next.said().includes('Get:1 libtorch'));
    go();
    expect(await settled).toBe(true);
    expect(await settleLasting(next, systemChange, 20_000)).toBe(false);
  });

  it('whose process number is reused is treated as ended', async () => {
    const one = prepare({ 'apt-get': '#!/bin/sh\necho mine\n' });
    const [place, boot] = [placeOf('anna'), '/proc/sys/kernel/random/boot_id'];
    execFileSync('mkdir', ['-p', place]);
    const record = { pid: process.pid, boot_id: readFileSync(boot, 'utf8').trim(), start_ticks: 1, key: 'k' };
    writeFileSync(join(place, 'pid'), `${JSON.stringify(record)}\n`);
    expect(await install(one)).toMatchObject({ code: 0, stdout: expect.stringContaining('mine') as string });
    expect(one.said()).not.toContain('waiting for');
  });

  it('of another machine with the same home is left alone', async () => {
    const anna = prepare(downloading());
    const first = install(anna);
    await until(() => anna.said().includes('Get:1 libtorch'));
    const berta = prepare({}, 'other', 'berta');
    expect(await install(berta, {}, 'echo mine')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('mine') as string,
    });
    expect(berta.said()).not.toContain('waiting for an earlier');
    go();
    expect(await first).toMatchObject({ code: 0, stdout: expect.stringContaining('that was all') as string });
    expect(readdirSync(join(folder, '.ringlab', 'installing'))).toEqual([]);
  });

  it('that an earlier version started under a name without its machine is followed', async () => {
    const killed = prepare(downloading());
    const first = install(killed);
    await until(() => killed.said().includes('Get:1 libtorch'));
    killed.lose();
    await expect(first).rejects.toThrow();
    const next = prepare(downloading());
    const second = install(next, { name: basename(placeOf('anna')) });
    await until(() => next.said().includes('Get:1 libtorch'));
    go();
    expect(await second).toMatchObject({ code: 0 });
    expect(calls()).toHaveLength(1);
  });

  it('cancelled during downloads is stopped with its processes', async () => {
    const one = prepare(downloading());
    const running = install(one, {}, 'apt-get update; apt-get install libtorch');
    await until(() => one.said().includes('Get:1 libtorch'));
    one.cancel.abort();
    await expect(running).rejects.toThrow();
    await until(() => !isThere(pidOf(calls()[0])));
    expect(calls()).toHaveLength(1);
    expect(readdirSync(join(folder, '.ringlab'))).toEqual(['installing']);
  });

  it('cancelled while dpkg works continues, and is followed by the next preparation', async () => {
    const one = prepare(unpacking());
    const running = install(one, { waitSeconds: 1 });
    await until(() => one.said().includes('Unpacking libtorch'));
    one.cancel.abort();
    await expect(running).rejects.toThrow();
    expect(one.said()).toContain('it goes on by itself');
    expect(isThere(pidOf(calls()[0]))).toBe(true);
    const next = prepare(unpacking());
    const second = install(next);
    await until(() => next.said().includes('Unpacking libtorch'));
    go();
    expect(await second).toMatchObject({ code: 0 });
    expect(calls()).toHaveLength(1);
  });

  it('cancelled while dpkg works is awaited if dpkg ends in time', async () => {
    const one = prepare(unpacking());
    const running = install(one);
    await until(() => one.said().includes('Unpacking libtorch'));
    one.cancel.abort();
    await until(() => one.said().includes('cancelled: stops as soon as that is sound'));
    expect(isThere(pidOf(calls()[0]))).toBe(true);
    go();
    await expect(running).rejects.toThrow();
    expect(one.said()).toContain('that was all');
  });

  it('keeps its result although another begins before it was read', async () => {
    // Its follower looks again only when the test says so.
    const sleep = `#!/bin/sh
[ "$1" = 0.5 ] || exec /bin/sleep "$@"
: >${folder}/asleep
while [ ! -e ${folder}/go ]; do /bin/sleep 0.05; done
`;
    const slow = prepare({ sleep });
    const work = `while [ ! -e ${folder}/end ]; do /bin/sleep 0.05; done; echo first`;
    const first = install(slow, {}, work);
    await until(() => existsSync(join(folder, 'asleep')));
    writeFileSync(join(folder, 'end'), '');
    const place = placeOf('anna');
    await until(() => readdirSync(place).some((name) => name.startsWith('exit.')));
    for (const words of ['second', 'third']) {
      const other = await install(prepare({}, 'other'), {}, `echo ${words}`);
      expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining(words) as string });
    }
    go();
    expect(await first).toMatchObject({ code: 0, stdout: expect.stringContaining('first') as string });
    expect(readdirSync(join(folder, '.ringlab', 'installing'))).toEqual([]);
  });

  it('is not started after its step was cancelled', async () => {
    const one = prepare(downloading());
    one.cancel.abort();
    await expect(install(one)).rejects.toThrow();
    expect(existsSync(join(folder, 'calls'))).toBe(false);
  });
});

const canSudo = canMakeAccounts && existsSync('/usr/bin/sudo') && existsSync('/etc/sudoers.d');
describe.skipIf(!canSudo)('fault 47: over a real sshd, by a real sudo (needs root, useradd and sudo)', () => {
  it('an installation survives its connection, and only root can change what root executes', async () => {
    const account = await makeAccount();
    undo.push(() => removeAccount(account));
    const rules = `/etc/sudoers.d/${account.user}`;
    writeFileSync(rules, `${account.user} ALL=(ALL) NOPASSWD: ALL\n`, { mode: 0o440 });
    undo.push(() => rmSync(rules));
    const sshd = await startSshd({ accounts: true });
    undo.push(() => sshd.stop());
    const { 'apt-get': program } = downloading();
    writeFileSync(join(folder, 'apt-get'), program, { mode: 0o755 });
    const connect = async (): Promise<Preparation & { run(): ReturnType<typeof runLasting> }> => {
      // Two apps: the first one's end closes its connection.
      const test = await testPool();
      undo.push(() => test.close());
      const session = await test.pool.session(targetOf(sshd, { user: account.user }));
      const home = await session.home();
      const one = over(
        session,
        { home, root: false, sudo: 'passwordless', hostname: 'anna' },
        () => void test.close(),
      );
      const rights = createRights({ prompter: createAsker(), memory: forgetfulMemory() }).of(session);
      return {
        ...one,
        run: () =>
          runLasting({ ...one, rights }, `${folder}/apt-get install`, systemChange, { label: 'install' }),
      };
    };
    const first = await connect();
    const running = first.run();
    await until(() => first.said().includes('Get:1 libtorch'));
    const place = `/run/ringlab${first.facts.home}/system`;
    undo.push(() => rmSync(`/run/ringlab${first.facts.home}`, { recursive: true, force: true }));
    expect(execFileSync('stat', ['-c', '%U %a', place], { encoding: 'utf8' })).toBe('root 700\n');
    first.lose();
    await expect(running).rejects.toThrow();
    expect(isThere(pidOf(calls()[0]))).toBe(true);
    const next = await connect();
    const second = next.run();
    await until(() => next.said().includes('Get:1 libtorch'));
    go();
    expect(await second).toMatchObject({ code: 0 });
    expect(calls()).toHaveLength(1);
    // By the first one's command, if it has not ended yet: it still follows without a connection.
    await until(() => !existsSync(place));

    // It is stopped by an account that may not signal root's processes.
    rmSync(join(folder, 'go'));
    const third = await connect();
    const cancelled = third.run();
    await until(() => third.said().includes('Get:1 libtorch'));
    third.cancel.abort();
    await expect(cancelled).rejects.toThrow();
    await until(() => !isThere(pidOf(calls()[1])));
    expect(existsSync(place)).toBe(false);
  });
});
