import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { readFacts } from '../node/read-facts.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import type { RuntimeSource } from './index.ts';
import { createLibrariesStep } from './libraries.ts';
import { createTrainerStep } from '../trainer/trainer.ts';
import { machineOf } from '../node/trainer-origin.ts';
import type { StepContext } from '../engine/step.ts';
import { StepStatus } from '../node/readiness.ts';
import { createAsker, type Asker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';
import { fingerprintOf, makeFor } from '../trainer/trainer-version.ts';
import { linesIn, lineIn } from '../../../shared/base/phrase.ts';

/** Not used in these tests. */
const noConda: RuntimeSource = {
  bringsImages: true,
  find: () => Promise.reject(new Error('conda')),
  plan: () => Promise.reject(new Error('conda')),
  install: () => Promise.reject(new Error('conda')),
};
const step = createLibrariesStep(systemClock, noConda, noConda);
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-libraries-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** This machine as a node with some facts changed, since an installed libtorch cannot be hidden otherwise. */
async function contextWith(
  facts: Partial<NodeFacts>,
  programs: Record<string, string> = {},
  asker: Asker = createAsker(),
): Promise<StepContext> {
  const path = `${programsOnly(join(folder, 'bin'), programs)}:${process.env.PATH ?? ''}`;
  // dpkg's folder, with writes redirected.
  const dpkg = join(folder, 'dpkg');
  mkdirSync(dpkg, { recursive: true });
  for (const name of existsSync('/var/lib/dpkg') ? readdirSync('/var/lib/dpkg') : [])
    if (!existsSync(join(dpkg, name))) symlinkSync(join('/var/lib/dpkg', name), join(dpkg, name));
  const through = ['env', `DPKG_ADMINDIR=${dpkg}`];
  const status = new StepStatus(
    'libraries',
    () => undefined,
    () => undefined,
  );
  const signal = new AbortController().signal;
  const shell = createNodeShell(createLocalShell({ home: folder, path, through }), status, signal);
  const report = await readFacts(shell, systemClock);
  const lab = labOf(['anna']);
  const rights = createRights({ prompter: asker, memory: forgetfulMemory() });
  return {
    lab,
    node: lab.nodes[0]!,
    machine: machineOf(shell.session),
    shell,
    rights: rights.of(shell.session),
    reboot: () => Promise.reject(new Error('not used here')),
    work: {
      facts: { ...report.facts, ...facts },
      ...('libtorch' in facts ? {} : { libtorch: report.libtorch }),
    },
    status,
    signal,
    connect: () => Promise.resolve(shell.session),
    redo: false,
  };
}
const without = (rest: Partial<NodeFacts> = {}): Partial<NodeFacts> =>
  // A fact that was not found is undefined.
  ({ libtorch: undefined, ...rest });
const debian = { id: 'debian', version: '12', pretty: 'Debian GNU/Linux 12 (bookworm)' };

const apt = {
  // Mirror reachability is not tested here.
  'apt-config': `#!/bin/sh\necho 'Acquire::http::Proxy "http://127.0.0.1:9";'\n`,
  'apt-cache': `#!/bin/sh
case "$1" in
  pkgnames) printf 'libtorch1.13\\nlibtorch2.6\\nlibtorch-dev\\nlibtorch-test\\n';;
  show) case "$2" in libtorch2.6 | libjpeg62-turbo | libtiff6 | libwebpdemux2 | zlib1g) exit 0;; *) exit 100;; esac;;
esac
`,
};
const recording = (words: string): string =>
  `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> "$HOME/apt.log"\ncase "$*" in *install*) ${words};; esac\n`;

test('if everything is installed, nothing is done and the version is reported', async () => {
  const context = await contextWith({});
  expect((await step.check(context))?.en).toMatch(/^libtorch \d+\.\d+/);
});

test('a missing libtorch is installed as root, without a question, under the distribution’s package names', async () => {
  const context = await contextWith(without({ root: true, system: debian }), {
    ...apt,
    'apt-get': recording('exit 0'),
  });
  expect(await step.check(context)).toBeUndefined();
  await step.apply(context);
  const log = readFileSync(join(folder, 'apt.log'), 'utf8').trim().split('\n');
  expect(log).toHaveLength(2);
  expect(log[0]).toMatch(/^noninteractive .*-q update$/);
  expect(log[1]).toMatch(
    /install -y --no-install-recommends libtorch2\.6 libjpeg62-turbo zlib1g libtiff6 libwebpdemux2$/,
  );
  expect(linesIn(context.status.log.lines, 'en')).toContain(
    'apt-get install -y --no-install-recommends libtorch2.6',
  );
  // The facts are read again; here the real machine answers.
  expect((await step.verify(context)).en).toMatch(/^libtorch \d/);
});

test('without root, sudo is used only if it needs no password', async () => {
  const sudo = '#!/bin/sh\necho "sudo $1" >> "$HOME/apt.log"\nshift\nexec "$@"\n';
  const programs = { ...apt, sudo, 'apt-get': recording('exit 0') };
  const context = await contextWith(without({ root: false, sudo: 'passwordless', system: debian }), programs);
  await step.apply(context);
  expect(readFileSync(join(folder, 'apt.log'), 'utf8')).toMatch(/^sudo -n\nnoninteractive/);
});

test('without root and without sudo, the exact command is shown', async () => {
  const context = await contextWith(without({ root: false, sudo: 'none', system: debian }), apt);
  await expect(step.apply(context)).rejects.toMatchObject({
    code: 'node_no_libtorch',
    params: {
      command: expect.stringMatching(/^apt-get update && apt-get install -y libtorch-dev/) as string,
    },
  });
});

test('nothing is installed before the user has seen and allowed it, which is asked once', async () => {
  const refusing = createAsker(() => ({ kind: 'refuse' }));
  const programs = { ...apt, 'apt-get': recording('exit 0') };
  const facts = without({ root: true, system: debian });
  const refused = await contextWith(facts, programs, refusing);
  await expect(step.apply(refused)).rejects.toMatchObject({ code: 'consent_refused' });
  expect(existsSync(join(folder, 'apt.log'))).toBe(false);
  expect(refusing.questions).toMatchObject([
    { kind: 'consent', changes: [{ command: expect.stringContaining('apt-get install') as string }] },
  ]);
  const asker = createAsker();
  const context = await contextWith(facts, programs, asker);
  await step.apply(context);
  await step.apply(context);
  expect(asker.questions).toHaveLength(1);
});

test('fault 22: a sudo password is asked for in the window, given to sudo only, and asked again if wrong', async () => {
  // A fake sudo -S: reads the password from standard input.
  const sudo = `#!/bin/sh
echo "sudo $*" >> "$HOME/sudo.log"
IFS= read -r secret
[ "$secret" = 'pass word' ] || { echo 'Sorry, try again.' >&2; echo 'sudo: 1 incorrect password attempt' >&2; exit 1; }
for word; do case $word in -v) exit 0;; -*) shift;; ''|*%p*) shift;; *) break;; esac; done
exec "$@"
`;
  const said = ['wrong', 'pass word'];
  const asker = createAsker(({ kind }) =>
    kind === 'sudo' ? { kind: 'secret', secret: said.shift() ?? '', remember: false } : { kind: 'accept' },
  );
  const facts = without({ root: false, sudo: 'password', system: debian });
  const context = await contextWith(facts, { ...apt, sudo, 'apt-get': recording('exit 0') }, asker);
  await step.apply(context);
  expect(asker.questions.map(({ kind }) => kind)).toEqual(['consent', 'sudo', 'sudo']);
  expect(readFileSync(join(folder, 'apt.log'), 'utf8')).toContain('install -y');
  const reported = `${readFileSync(join(folder, 'sudo.log'), 'utf8')}${linesIn(context.status.log.lines, 'en')}`;
  expect(reported).not.toContain('pass word');
});

test('fault 22: a wrong password is tried three times; giving up changes nothing', async () => {
  const sudo = '#!/bin/sh\necho "Sorry, try again." >&2\nexit 1\n';
  const facts = without({ root: false, sudo: 'password', system: debian });
  const programs = { ...apt, sudo, 'apt-get': recording('exit 0') };
  const asker = createAsker(({ kind }) =>
    kind === 'sudo' ? { kind: 'secret', secret: 'no', remember: false } : { kind: 'accept' },
  );
  await expect(step.apply(await contextWith(facts, programs, asker))).rejects.toMatchObject({
    code: 'sudo_refused',
  });
  expect(asker.questions.filter(({ kind }) => kind === 'sudo')).toHaveLength(3);
  const shy = createAsker(({ kind }) => (kind === 'sudo' ? { kind: 'refuse' } : { kind: 'accept' }));
  await expect(step.apply(await contextWith(facts, programs, shy))).rejects.toMatchObject({
    code: 'node_needs_root',
  });
  expect(existsSync(join(folder, 'apt.log'))).toBe(false);
});

test('a distribution without apt is named', async () => {
  const system = { id: 'fedora', version: '43', pretty: 'Fedora Linux 43' };
  const context = await contextWith(without({ root: true, system, apt: false }));
  await expect(step.apply(context)).rejects.toMatchObject({
    code: 'node_unsupported',
    params: { system: 'Fedora Linux 43' },
    // No command for apt.
    detail: undefined,
  });
});

test('a derivative of Debian that has apt is as good as Debian, and one of that name with rpm is not', async () => {
  const system = { id: 'kylin', version: 'V10', pretty: 'Kylin V10' };
  const desktop = await contextWith(without({ root: true, system, apt: true }), apt);
  await expect(step.plan?.(desktop)).resolves.toMatchObject([
    { byHand: expect.stringMatching(/^apt-get/) as string },
  ]);
  const server = await contextWith(without({ root: true, system, apt: false }));
  await expect(step.plan?.(server)).rejects.toMatchObject({ code: 'node_unsupported' });
});

test('fault 23: apt on a full disk is reported with the needed and free space', async () => {
  const words = `echo 'After this operation, 512 MB of additional disk space will be used.'
echo "E: You don't have enough free space in /var/cache/apt/archives/." >&2; exit 100`;
  // The facts have what is free in the home, which may be on another disk.
  const facts = without({ root: true, system: debian, diskFreeBytes: 5e9 });
  const df = `#!/bin/sh
[ "$2" = / ] && echo 'Filesystem 1024-blocks Used Available Capacity Mounted' && echo '/dev/sda 100 90 10 90% /'
`;
  const context = await contextWith(facts, { ...apt, df, 'apt-get': recording(words) });
  await expect(step.apply(context)).rejects.toMatchObject({
    code: 'node_disk_full',
    params: { path: '/', needed: 512_000_000, free: 10_240 },
  });
});

test('apt’s error output is kept', async () => {
  const words = 'echo "E: Unable to locate package" >&2; exit 100';
  const context = await contextWith(without({ root: true, system: debian }), {
    ...apt,
    'apt-get': recording(words),
  });
  await expect(step.apply(context)).rejects.toMatchObject({
    code: 'command_failed',
    detail: expect.stringContaining('Unable to locate package') as string,
  });
});

describe('fault 47: an interrupted installation of ours', () => {
  const mark = (): string => join(folder, 'dpkg', 'ringlab-installing');
  /** A dpkg that has something half configured until it is asked to configure it. */
  const dpkg = `#!/bin/sh
case "$1" in
  --audit) [ -e "$HOME/half" ] && echo 'The following packages are only half configured';;
  --configure) echo "dpkg $*" >> "$HOME/apt.log"; rm -f "$HOME/half"; exit "$(cat "$HOME/configure" 2>/dev/null || echo 0)";;
  *) exec /usr/bin/dpkg "$@";;
esac
`;
  const prepared = (words: string): Promise<StepContext> =>
    contextWith(without({ root: true, system: debian }), { ...apt, dpkg, 'apt-get': recording(words) });
  const log = (): string => readFileSync(join(folder, 'apt.log'), 'utf8');
  const half = (): void => writeFileSync(join(folder, 'half'), '');

  test('leaves a marker, is completed by dpkg first, and the marker is removed on success', async () => {
    await expect(step.apply(await prepared('kill -KILL $PPID'))).rejects.toThrow();
    expect(existsSync(mark())).toBe(true);
    half();
    const again = await prepared('exit 0');
    await step.apply(again);
    expect(log()).toMatch(/dpkg --configure -a\n.*-q update\n.*install -y[^\n]*\n$/);
    expect(linesIn(again.status.log.lines, 'en')).toContain('an installation of ours was interrupted');
    expect(existsSync(mark())).toBe(false);
  });

  test('is not repaired if dpkg has nothing unfinished, or if it is not ours', async () => {
    half();
    await step.apply(await prepared('exit 0'));
    expect(log()).not.toContain('dpkg --configure');
    rmSync(join(folder, 'half'));
    writeFileSync(mark(), '');
    await step.apply(await prepared('exit 0'));
    expect(log()).not.toContain('dpkg --configure');
  });

  test('that dpkg cannot complete is reported, and nothing more is installed', async () => {
    await expect(step.apply(await prepared('exit 100'))).rejects.toThrow();
    half();
    writeFileSync(join(folder, 'configure'), '1');
    rmSync(join(folder, 'apt.log'));
    await expect(step.apply(await prepared('exit 0'))).rejects.toMatchObject({ code: 'command_failed' });
    expect(log()).toBe('dpkg --configure -a\n');
    expect(existsSync(mark())).toBe(true);
  });
});

test('a distribution whose libtorch is too old for the trainer is refused before anything is installed', async () => {
  const policy = `#!/bin/sh
[ "$1 $2" = 'policy libtorch-dev' ] && printf 'libtorch-dev:\\n  Installed: (none)\\n  Candidate: 1.7.1-7\\n'
`;
  const context = await contextWith(without({ system: debian }), { ...apt, 'apt-cache': policy });
  const refused = { code: 'libtorch_old', params: { found: '1.7.1', needed: '1.13' } };
  await expect(step.plan?.(context)).rejects.toMatchObject(refused);
  await expect(step.apply(context)).rejects.toMatchObject(refused);
  expect(existsSync(join(folder, 'apt.log'))).toBe(false);
});

test('a dry run on a bare node finds the libtorch, and so that the trainer is sent, not built', async () => {
  const policy = `#!/bin/sh
[ "$1 $2" = 'policy libtorch-dev' ] && printf 'libtorch-dev:\\n  Installed: (none)\\n  Candidate: 1.13.1+dfsg-4\\n'
`;
  const context = await contextWith(without({ system: debian }), { ...apt, 'apt-cache': policy });
  await step.plan?.(context);
  expect(context.work.libtorch).toEqual({ version: '1.13.1', abi: 'cxx11' });
  const make = makeFor(context.work.facts!, { version: '1.13.1', abi: 'cxx11' }, 'hash');
  const trainer = createTrainerStep({
    sources: () =>
      Promise.resolve({ hash: 'hash', version: '0.1.0', archive: () => Promise.resolve(new Uint8Array()) }),
    shelf: {
      find: (fingerprint) =>
        Promise.resolve(
          fingerprint === fingerprintOf(make)
            ? { path: '/shelf/ringlab-train', sha256: 'c0ffee', origin: undefined }
            : undefined,
        ),
      withheld: () => Promise.resolve([]),
      keep: () => Promise.reject(new Error('nothing is built in a dry run')),
    },
  });
  const [change] = (await trainer.plan?.(context)) ?? [];
  expect(change?.what.en).toBe(
    'Send the trainer 0.1.0 (this computer), if the libraries’ step brings libtorch 1.13.1 as expected',
  );
  expect(lineIn(change?.command ?? '', 'en')).toContain('upload /shelf/ringlab-train → ');

  // Where the distribution is unknown, neither is promised.
  const bare = await contextWith(without({ system: debian }), { ...apt, 'apt-cache': '#!/bin/sh\nexit 0\n' });
  await step.plan?.(bare);
  expect(bare.work.libtorch).toBeUndefined();
  const [either] = (await trainer.plan?.(bare)) ?? [];
  expect(either?.what.en).toMatch(/where one is kept .* else build it/);
  // No command is invented either.
  expect(either?.command).toBe('');
});
