/**
 * Fuzzed replies of programs on a node: micromamba, df, apt-cache, the trainer's checks, address lists, NVIDIA's
 * tools. Parsed within limits or refused as a RinglabError; never used as a command.
 */
import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { NodeFacts } from '../../../shared/node/provision.ts';
import {
  anyText,
  forEachCase,
  fuzzTimeout,
  mutateText,
  mutateTree,
  type Random,
} from '../../../shared/testing/fuzz.ts';
import type { ExecResult, SshSession } from '../../ssh/index.ts';
import { freeBytes } from '../../transfer/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { planDriver } from '../driver/driver-plan.ts';
import { parseFacts } from '../node/facts.ts';
import { refuseHiddenMirrors, withoutHidden } from '../node/hidden-mirrors.ts';
import { connect, describeLink, listen } from '../network/listener.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { reachedFrom } from '../node/outward.ts';
import { offlineWords } from '../download/packages.ts';
import { StepStatus } from '../node/readiness.ts';
import { removeFromNode } from './removal.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import { Lock } from '../runtime/lock.ts';
import { newestFor, solveLock } from '../runtime/solve.ts';
import { systemRuntime } from '../runtime/system.ts';
import type { StepContext } from '../engine/step.ts';
import { verifyStep } from '../trainer/verify.ts';
import { createAsker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';
import { compareVersions } from '../node/versions.ts';
import { versionSaid } from '../trainer/trainer-version.ts';

const { signal } = new AbortController();
const words = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  '\n',
  '9'.repeat(400),
  '-1',
  '1e999',
  'null',
  '\u001b]0;x\u0007',
  '$(touch /tmp/x)',
  "'; id; '",
];

/** A node that gives this reply to everything, and records the commands it received. */
function replying(reply: (script: string) => Partial<ExecResult>) {
  const base = createLocalShell({ home: '/nonexistent' });
  const scripts: string[] = [];
  const exec: SshSession['exec'] = (script) => {
    scripts.push(script);
    return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', ...reply(script) });
  };
  const run: SshSession['run'] = async (script) => (await exec(script)).stdout;
  const session: SshSession = { ...base, exec, run };
  const status = new StepStatus(
    'facts',
    () => undefined,
    () => undefined,
  );
  return { scripts, session, status, shell: createNodeShell(session, status, signal) };
}
/** The result, where there is no bug; a RinglabError can always be serialised. */
async function settled<T>(work: Promise<T> | T): Promise<T | RinglabError> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RinglabError)) throw error;
    JSON.stringify(toWireError(error));
    return error;
  }
}
/** Numbers must survive serialisation: neither NaN nor infinite. */
const expectWritable = (value: unknown): void => {
  if (!(value instanceof RinglabError)) expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value });
};

const facts = NodeFacts.parse({
  ...parseFacts(
    'time=1700000000.5\nos=Linux\nkernel=6.1.0\narch=x86_64\nhostname=gpu1\nuser=anna\nuid=1000\nhome=/home/anna\nshell=/bin/bash\nid=debian\nversion=12\npretty=Debian 12\nboot_id=0-1\ncpus=8\ncpu_model=CPU\nmemory_kib=65000000\nmemory_free_kib=60000000\ndisk_kib=900000000\ndisk_free_kib=500000000\nsudo=passwordless\nglibc=glibc 2.36\npackage_manager=apt-get\nfinished=1700000001\nend=yes\n',
    { before: 1_700_000_000, after: 1_700_000_001 },
  ).facts,
});
function contextOf(reply: (script: string) => Partial<ExecResult>): StepContext & { scripts: string[] } {
  const { shell, status, session, scripts } = replying(reply);
  const lab = labOf(['anna']);
  const [node] = lab.nodes;
  if (node === undefined) throw new Error('the lab has a node');
  return {
    lab,
    node,
    machine: { id: 'machine', place: 'anna@node:22' },
    shell,
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }).of(session),
    work: { facts, trainer: '/home/anna/.ringlab/bin/ringlab-train' },
    status,
    signal,
    connect: () => Promise.resolve(session),
    redo: true,
    reboot: () => Promise.reject(new Error('not asked for here')),
    scripts,
  };
}

const channel = 'https://conda.anaconda.org/conda-forge';
const reported = (name: string, version: string, depends: string[] = []) => ({
  name,
  version,
  build_string: 'cpu_generic_h1',
  fn: `${name}-${version}-cpu_generic_h1.conda`,
  subdir: 'linux-64',
  url: `${channel}/linux-64/${name}-${version}-cpu_generic_h1.conda`,
  size: 1000,
  sha256: 'a'.repeat(64),
  depends,
});
const solved = {
  success: true,
  actions: {
    FETCH: [],
    LINK: [reported('libtorch', '2.6.0', ['__glibc >=2.17,<3.0.a0']), reported('libgcc', '14.2.0')],
  },
};
const found = {
  query: { query: 'libtorch' },
  result: { pkgs: [reported('libtorch', '2.6.0'), reported('libtorch', '2.5.1', ['__glibc >=2.28'])] },
};

it('conda: micromamba’s JSON output', { timeout: fuzzTimeout() }, async () => {
  let locks = 0;
  await forEachCase('micromamba', async (random) => {
    const broken = (tree: unknown): string => {
      const text = JSON.stringify(random.chance(0.4) ? mutateTree(tree, random) : tree);
      return random.chance(0.2) ? mutateText(text, random, words) : `info  libmamba\n${text}`;
    };
    const context = contextOf((script) => ({ stdout: broken(script.includes(' search ') ? found : solved) }));
    const make = { platform: 'linux-64', cuda: random.chance(0.5) ? undefined : '12.6' };
    const lock = await settled(solveLock(context, '/home/anna/.ringlab/bin/micromamba', channel, make, 1));
    if (lock instanceof RinglabError) return;
    locks += 1;
    // What is stored and sent to other nodes must be valid for a lock's own parser.
    expect(Lock.parse(JSON.parse(JSON.stringify(lock)))).toEqual(lock);
    for (const { name, file, sha256 } of lock.packages)
      expect(`${name} ${file} ${sha256}`).not.toMatch(/[\n\r\0]|\.\./);
    newestFor(lock, '2.36');
  });
  expect(locks).toBeGreaterThan(20);
});

const reports: readonly (readonly [string, string, (reply: string, random: Random) => Promise<unknown>])[] = [
  ['df', '500000000\n', (stdout) => freeBytes(replying(() => ({ stdout })).session, '/home/anna')],
  [
    'apt-cache policy',
    'libtorch-dev:\n  Installed: (none)\n  Candidate: 1.13.1+dfsg-4\n  Version table:\n     1.13.1+dfsg-4 500\n',
    (stdout) => systemRuntime.expected?.(contextOf(() => ({ stdout }))) ?? Promise.resolve(),
  ],
  [
    'addresses that are reached',
    'yes https://archive.example/\nno http://security.example/\n',
    (stdout) => {
      const { shell } = replying(() => ({ stdout }));
      return reachedFrom(shell, labOf(['anna']));
    },
  ],
  [
    'mirrors',
    'answer archive.example 80\ndrop security.example 443\nname nowhere 53\n',
    (stdout) => {
      const { shell } = replying(() => ({ stdout }));
      return refuseHiddenMirrors(shell, 'apt-get update');
    },
  ],
  [
    'mirrors of data',
    'answer example.org 80\ndrop example.org 443\nname nowhere 53\n',
    (stdout) => {
      const { shell } = replying(() => ({ stdout }));
      return withoutHidden(
        shell,
        ['https://example.org', 'http://example.org', 'http://[bad'],
        () => undefined,
      );
    },
  ],
  [
    'probe --listen',
    'listening 2711\n',
    async (stdout, random) => {
      const node = replying(() => ({ stdout, stderr: random.chance(0.2) ? anyText(random) : '' }));
      const listener = await listen(node.shell, { trainer: '/t', environment: {} }, ['10.0.0.1'], 29500);
      await listener?.stop();
      for (const script of node.scripts) expect(script).not.toContain('touch /tmp/x');
      return undefined;
    },
  ],
  [
    'probe --connect',
    '{"rtt_ms":0.31,"send_bits_per_second":940000000,"receive_bits_per_second":930000000}\n',
    async (stdout) => {
      const measured = await connect(
        replying(() => ({ stdout })).shell,
        { trainer: '/t', environment: {} },
        '10.0.0.1',
        29500,
        'a'.repeat(64),
      );
      if (measured !== undefined) expect(describeLink(measured).length).toBeLessThan(400);
      return measured;
    },
  ],
  [
    'verify',
    'libtorch 2.6\n{"ok":true,"backend":"gloo","seconds":3.1,"devices":[{"device":"cpu","name":"CPU","ok":true}]}\n',
    async (stdout) => {
      const context = contextOf((script) => ({ stdout: script.includes(' verify --gpus') ? stdout : '' }));
      await verifyStep.apply(context);
      await verifyStep.verify(context);
      for (const script of context.scripts)
        if (script.startsWith('printf')) expect(script.length).toBeLessThan(20_000);
      return context.work.backend;
    },
  ],
  [
    'what Ringlab has put on a node',
    'folder /home/anna/.ringlab\nlink no\nwhole yes\nown 4000 bin\nown 12 runs\nstays other /home/anna/x\nfile /etc/modprobe.d/ringlab-nouveau.conf\nlive a-run\n',
    (stdout) => {
      const { shell, session } = replying(() => ({ stdout: stdout.replace('live a-run\n', '') }));
      return removeFromNode(
        shell,
        facts,
        createRights({ prompter: createAsker(), memory: forgetfulMemory() }).of(session),
        'owner',
        signal,
      );
    },
  ],
];
it.each(reports)('%s', { timeout: fuzzTimeout() }, async (name, good, read) => {
  await settled(
    read(good, { fraction: () => 1, below: () => 0, chance: () => false, pick: ([first]) => first as never }),
  );
  await forEachCase(`reply of ${name}`, async (random) => {
    expectWritable(await settled(read(mutateText(good, random, words), random)));
  });
});

it('versions and apt’s output about the network', { timeout: fuzzTimeout() }, () =>
  forEachCase('versions', (random) => {
    const [a, b] = [mutateText('2.6.0+cu126', random, words), mutateText('1.13.1', random, words)];
    expect(Number.isNaN(compareVersions(a, b))).toBe(false);
    versionSaid(mutateText('ringlab-train 1.2.3 (libtorch 2.6)', random, words));
    expect(
      (
        offlineWords(
          mutateText('E: Could not resolve archive.example\nTemporary failure resolving x', random, words),
        ) ?? ''
      ).length,
    ).toBeLessThan(40_000);
  }),
);

const driverFacts = `nvidia=yes
nvidia_works=no
nvidia_said=NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.
driver=535.183.01
nouveau=no
secure_boot=no
headers=no
nvidia_source=nvidia/535.183.01
dkms=nvidia/535.183.01, 6.1.0-18-amd64, x86_64: installed
nvidia_package=nvidia-driver 535.183.01-1
nvidia_repository=https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/
gpu=0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01
ubuntu_driver=nvidia-driver-535 - distro non-free recommended
`;
it(
  'driver texts give a plan whose commands contain none of their text unquoted',
  { timeout: fuzzTimeout() },
  async () => {
    let plans = 0;
    const base =
      'time=1700000000.5\nos=Linux\nkernel=6.1.0-18-amd64\narch=x86_64\nhostname=gpu1\nuser=anna\nuid=1000\nhome=/home/anna\nshell=/bin/bash\nid=debian\nversion=12\npretty=Debian 12\nboot_id=0-1\ncpus=8\ncpu_model=CPU\nmemory_kib=65000000\nmemory_free_kib=60000000\ndisk_kib=900000000\ndisk_free_kib=500000000\nsudo=passwordless\nglibc=glibc 2.36\npackage_manager=apt-get\nfinished=1700000001\nend=yes\n';
    await forEachCase('driver', async (random) => {
      const text = `${mutateText(driverFacts, random, [...words, 'yes', 'no', '535; touch /tmp/x', '`touch /tmp/x`'])}\n${base}`;
      const report = await settled(
        Promise.resolve().then(() => parseFacts(text, { before: 1_700_000_000, after: 1_700_000_001 })),
      );
      if (report instanceof RinglabError) return;
      const plan = await settled(Promise.resolve().then(() => planDriver(report.facts)));
      if (plan instanceof RinglabError) return;
      plans += 1;
      for (const { command } of 'changes' in plan ? plan.changes : [])
        expect(command).not.toMatch(/touch \/tmp\/x|[\0\u001b]/);
    });
    expect(plans).toBeGreaterThan(20);
  },
);
