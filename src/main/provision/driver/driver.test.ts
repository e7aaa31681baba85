/**
 * Tests the driver step with fake nvidia-smi, dkms, apt and kernel folders that behave as the real ones in each
 * state. Without an NVIDIA GPU, this covers the way from the tools' output to the changes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts, NvidiaFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { planDriver } from './driver-plan.ts';
import { diagnosisOf } from '../diagnoses/diagnoses.ts';
import { runStep } from '../engine/engine.ts';
import { parseFacts } from '../node/facts.ts';
import { runLasting, systemChange } from '../node/lasting.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { NodeStatus } from '../node/readiness.ts';
import { createRights, forgetfulMemory } from '../node/rights.ts';
import type { NodeWork } from '../engine/step.ts';
import { createDriverStep } from './driver.ts';
import { createAsker, type Asker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let folder = '';
const nothing = (): void => undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-driver-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kernel = '6.1.0-25-amd64';
const dead = `NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.`;

const bare: NvidiaFacts = {
  works: false,
  nouveau: false,
  secureBoot: false,
  headers: true,
  sources: [],
  dkms: [],
  packages: [],
};
const facts = (nvidia: Partial<NvidiaFacts>, system: Partial<NodeFacts['system']> = {}): NodeFacts => ({
  ...parseFacts(
    `os=Linux\narch=x86_64\nuid=0\nhome=${folder}\ntime=1000\ncpus=4\nkernel=${kernel}\nboot_id=b\nend=yes\n`,
    { before: 1000, after: 1000 },
  ).facts,
  system: { id: 'debian', version: '12', pretty: 'Debian GNU/Linux 12 (bookworm)', ...system },
  nvidia: { ...bare, ...nvidia },
});
const commands = (nvidia: Partial<NvidiaFacts>, system: Partial<NodeFacts['system']> = {}): string => {
  const plan = planDriver(facts(nvidia, system));
  return plan.kind === 'change' ? plan.changes.map(({ command }) => command).join('\n') : plan.kind;
};
const ubuntu = { id: 'ubuntu', version: '22.04', pretty: 'Ubuntu 22.04.4 LTS' };

describe('the plan', () => {
  it('skips nodes without an NVIDIA GPU, and drivers that work', () => {
    const without = { ...facts({}) };
    delete without.nvidia;
    expect(planDriver(without)).toMatchObject({ kind: 'nothing', summary: { en: 'no NVIDIA GPU' } });
    const works = { ...facts({ works: true }), driver: '535.183.01', cuda: '12.2' };
    expect(planDriver(works)).toMatchObject({
      kind: 'nothing',
      summary: { en: 'driver 535.183.01 · CUDA 12.2', 'zh-CN': '驱动 535.183.01 · CUDA 12.2' },
    });
  });

  it('Debian: its own packages from the components that have them, with missing headers', () => {
    expect(commands({ headers: false })).toMatch(
      /contrib non-free non-free-firmware[^]*linux-headers-6\.1\.0-25-amd64[^]*nvidia-kernel-dkms/,
    );
    expect(commands({}, { version: '11' })).not.toContain('non-free-firmware');
    expect(commands({})).not.toContain('linux-headers');
  });

  it('Ubuntu: the packages that ubuntu-drivers recommends; under Secure Boot with modules signed by Ubuntu', () => {
    expect(commands({}, ubuntu)).toContain('ubuntu-drivers devices');
    expect(commands({ secureBoot: true }, ubuntu)).toContain(
      'linux-modules-nvidia-${package#nvidia-driver-}-',
    );
    expect(commands({ secureBoot: true }, ubuntu)).not.toContain('linux-headers');
  });

  it('NVIDIA’s repository in the node’s sources: its driver only, not mixed with the distribution’s', () => {
    for (const system of [{}, ubuntu]) {
      const script = commands({ repository: 'cuda-drivers 550.54.15-1', headers: false }, system);
      expect(script).toMatch(/linux-headers-[^]*for name in cuda-drivers nvidia-open[^]*modprobe nvidia/);
      expect(script).not.toMatch(/non-free|ubuntu-drivers|nvidia-kernel-dkms/);
    }
    const signed = { repository: 'cuda-drivers 550.54.15-1', secureBoot: true };
    expect(commands(signed, ubuntu)).toContain('linux-modules-nvidia-');
    expect(planDriver(facts(signed))).toEqual({ kind: 'blocked', diagnosis: 'driver.secure_boot' });
  });

  it.each([
    ['Blackwell, which has no other modules', ['0x2901'], 'nvidia-open'],
    ['Turing', ['0x1e04'], 'nvidia-open'],
    ['Volta, which the open modules do not drive', ['0x1db4'], 'cuda-drivers'],
    ['Ada and Pascal in one node', ['0x2684', '0x1b06'], 'cuda-drivers'],
    ['a GPU whose device is not known', ['RTX 3080'], 'cuda-drivers'],
  ])('NVIDIA’s repository: the modules that drive %s', (_, devices, first) => {
    const gpus = devices.map((device, index) => ({ index, name: `NVIDIA ${device}` }));
    const repository = 'cuda-drivers 580.65.06-1 / nvidia-open 580.65.07-1';
    const plan = planDriver({ ...facts({ repository }), gpus });
    const [change] = plan.kind === 'change' ? plan.changes : [];
    const second = first === 'nvidia-open' ? 'cuda-drivers' : 'nvidia-open';
    expect(change?.command).toContain(`for name in ${first} ${second};`);
    expect(change?.what).toMatchObject({ en: expect.stringContaining(`: ${first} 580`) as string });
    const older = planDriver({ ...facts({ repository: 'cuda-drivers 550.54.15-1' }), gpus });
    expect(JSON.stringify(older)).toContain('repository: cuda-drivers 550.54.15-1"');
  });

  it('Debian’s own driver is not installed for a GPU that it does not drive, and nouveau stays', () => {
    const plan = (device: string, version: string, nvidia: Partial<NvidiaFacts> = {}) =>
      planDriver({
        ...facts({ nouveau: true, ...nvidia }, { version }),
        gpus: ['0x2684', device].map((name, index) => ({ index, name: `NVIDIA ${name}` })),
      });
    const blocked = { kind: 'blocked', diagnosis: 'driver.debian_old' };
    // An RTX 5090 and a B200; an H100 and an RTX 4060.
    for (const device of ['0x2b85', '0x2901'])
      for (const version of ['12', '13']) expect(plan(device, version)).toEqual(blocked);
    for (const device of ['0x2330', '0x2882']) expect(plan(device, '12')).toMatchObject({ kind: 'change' });
    expect(plan('0x2b85', '14')).toMatchObject({ kind: 'change' });
    expect(plan('0x2b85', '13', { repository: 'nvidia-open 580.65.06-1' })).toMatchObject({ kind: 'change' });
    expect(diagnosisOf('driver.debian_old')).not.toHaveProperty('action');
  });

  it('a package that sets up NVIDIA’s repository is installed first if the user names one', () => {
    const plan = planDriver(facts({}), '/home/a/.ringlab/driver/cuda-keyring.deb');
    const script = plan.kind === 'change' ? plan.changes.map(({ command }) => command) : [];
    expect(script[0]).toMatch(
      /install -y --no-install-recommends '?\/home\/a\/\.ringlab\/driver\/cuda-keyring\.deb/,
    );
    expect(script[0]).toMatch(/apt-get .* update$/);
    expect(script.join('\n')).toMatch(/for name in cuda-drivers nvidia-open/);
    expect(script.join('\n')).not.toContain('--silent --dkms');
  });

  it('the key of a repository that a package holds itself is put where apt looks for it, before the lists are read', () => {
    const plan = planDriver(facts({}), '/x/cuda-repo-debian12-13-0-local_13.0.0-580.65.06-1_amd64.deb');
    const command = plan.kind === 'change' ? (plan.changes[0]?.command ?? '') : '';
    const etc = join(folder, 'var', 'cuda-repo-debian12-13-0-local');
    mkdirSync(etc, { recursive: true });
    writeFileSync(join(etc, 'cuda-504D9F21-keyring.gpg'), 'key');
    const keyrings = join(folder, 'usr', 'share', 'keyrings');
    mkdirSync(keyrings, { recursive: true });
    const env = '#!/bin/sh\ncase "$*" in *" update") ls "$HOME/usr/share/keyrings" > "$HOME/seen";; esac\n';
    const here = command
      .replaceAll('/var/', `${folder}/var/`)
      .replaceAll('/usr/share/', `${folder}/usr/share/`);
    execFileSync('sh', ['-ec', here], {
      env: { HOME: folder, PATH: `${programsOnly(join(folder, 'bin'), { env })}:${process.env.PATH ?? ''}` },
    });
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('cuda-504D9F21-keyring.gpg\n');
  });

  it('fault 39: nouveau is blacklisted, the initramfs rebuilt, and a reboot planned', () => {
    expect(commands({ nouveau: true })).toMatch(/blacklist nouveau[^]*update-initramfs/);
    expect(planDriver(facts({ nouveau: true }))).toMatchObject({ kind: 'change', reboot: true });
    expect(planDriver(facts({}))).toMatchObject({ reboot: false });
  });

  it('fault 39: Secure Boot without a signed module is explained, and nothing is tried', () => {
    expect(planDriver(facts({ secureBoot: true }))).toEqual({
      kind: 'blocked',
      diagnosis: 'driver.secure_boot',
    });
    const built = {
      secureBoot: true,
      dkms: [`nvidia, 535.183.01, ${kernel}, x86_64: installed`],
      said: dead,
    };
    expect(planDriver(facts(built))).toEqual({ kind: 'blocked', diagnosis: 'driver.secure_boot' });
  });

  it('fault 39: not loaded after a kernel update: built for this kernel from the newest source, not reinstalled', () => {
    const died = {
      said: dead,
      headers: false,
      sources: ['nvidia/535.161.08', 'nvidia/535.183.01', 'nvidia/470.9'],
      dkms: ['nvidia/535.183.01, 6.1.0-18-amd64, x86_64: installed'],
    };
    const script = commands(died);
    expect(script).toContain(`linux-headers-${kernel}`);
    expect(script).toContain(`dkms install -m nvidia -v 535.183.01 -k ${kernel}`);
    expect(script).toContain('modprobe nvidia');
    expect(script).not.toContain('nvidia-kernel-dkms');
  });

  it.each([
    ['Debian’s', 'nvidia-current', '535.183.01'],
    ['Ubuntu’s for servers', 'nvidia-srv', '535.309.01'],
    ['NVIDIA’s', 'nvidia', '570.133.20'],
  ])(
    'after a kernel update %s driver is built by its own name, whatever else of NVIDIA’s is there',
    (_, name, version) => {
      const died = (built: string): Partial<NvidiaFacts> => ({
        said: dead,
        sources: ['nvidia-fs/2.17.5', 'nvidia-peermem/900.1', `${name}/${version}`],
        dkms: [
          `nvidia-fs/2.17.5, ${kernel}, x86_64: installed`,
          `nvidia-fs, 2.17.5, ${kernel}, x86_64: installed`,
          `${name}/${version}, ${built}, x86_64: installed`,
        ],
      });
      const build = `dkms install -m ${name} -v ${version} -k ${kernel}`;
      expect(commands(died('6.1.0-18-amd64'))).toContain(build);
      expect(commands({ ...died('6.1.0-18-amd64'), secureBoot: true })).toContain(build);
      expect(commands(died(kernel))).not.toContain('dkms install');
      expect(planDriver(facts({ ...died(kernel), secureBoot: true }))).toMatchObject({ kind: 'blocked' });
    },
  );

  it('a module beside the driver, such as GPUDirect Storage’s, is no driver', () => {
    const beside = {
      sources: ['nvidia-fs/2.17.5'],
      dkms: [`nvidia-fs/2.17.5, ${kernel}, x86_64: installed`],
    };
    expect(commands(beside)).toContain('nvidia-kernel-dkms');
  });

  it('what a removed driver leaves behind is no driver: a whole one is installed', () => {
    for (const left of ['nvidia-kernel-common-535 535.183.01-0ubuntu1', 'nvidia-driver-libs 535.183.01-1'])
      expect(commands({ packages: [left], nouveau: true })).toContain('nvidia-kernel-dkms');
    for (const driver of ['nvidia-driver 535.183.01-1', 'nvidia-dkms-535-server 535.183.01-0ubuntu1'])
      expect(commands({ packages: [driver], said: dead })).not.toContain('nvidia-kernel-dkms');
  });

  it('a driver without nvidia-smi gets that alone, under Secure Boot, too, where it is loaded', () => {
    const headless = (name: string): Partial<NvidiaFacts> => ({
      loaded: '535.183.01',
      secureBoot: true,
      packages: [`${name} 535.183.01-0ubuntu1`],
      dkms: [`nvidia/535.183.01, ${kernel}, x86_64: installed`],
    });
    expect(commands(headless('nvidia-dkms-535'), ubuntu)).toMatch(/update\n.* nvidia-utils-535$/);
    expect(commands(headless('nvidia-dkms-535-server-open'), ubuntu)).toMatch(/ nvidia-utils-535-server$/);
    expect(commands(headless('nvidia-kernel-dkms'))).toMatch(/ nvidia-smi$/);
  });

  it('an nvidia-smi that does not answer, as of a GPU that has fallen off the bus, is no driver to repair', () => {
    const dkms = [`nvidia/535.183.01, ${kernel}, x86_64: installed`];
    expect(planDriver(facts({ loaded: '535.183.01', dkms, said: 'nvidia-smi does not answer' }))).toEqual({
      kind: 'blocked',
    });
  });

  it('fault 39: old module and new libraries: only a reboot', () => {
    const said = 'Failed to initialize NVML: Driver/library version mismatch NVML library version: 535.183';
    expect(planDriver(facts({ said }))).toEqual({ kind: 'change', changes: [], reboot: true });
  });

  it('a .run file: headers, DKMS, nouveau disabled first; under Secure Boot nothing is tried', () => {
    const plan = planDriver(facts({}), '/home/a b/NVIDIA-Linux-x86_64-535.183.01.run');
    const script = plan.kind === 'change' ? plan.changes.map(({ command }) => command).join('\n') : plan.kind;
    expect(script).toMatch(
      /linux-headers[^]*sh '\/home\/a b\/NVIDIA-[^']*\.run' --silent --dkms[^]*modprobe nvidia/,
    );
    expect(script).not.toContain('nvidia-kernel-dkms');
    const first = planDriver(facts({ nouveau: true }), '/x.run');
    expect(first).toMatchObject({ kind: 'change', reboot: true });
    expect(JSON.stringify(first)).not.toContain('/x.run');
    expect(planDriver(facts({ secureBoot: true }), '/x.run')).toEqual({
      kind: 'blocked',
      diagnosis: 'driver.secure_boot',
    });
  });

  it.each(['docker', 'podman', 'lxc', 'systemd-nspawn'])(
    'a container (%s) has the driver of its host: nothing is installed in it, and nothing rebooted',
    (virtualisation) => {
      const within = (nvidia: Partial<NvidiaFacts>): NodeFacts => ({
        ...facts(nvidia, ubuntu),
        virtualisation,
      });
      const without = { kind: 'blocked', diagnosis: 'container.no_gpu' };
      expect(planDriver(within({ nouveau: true }))).toEqual(without);
      expect(planDriver(within({}), '/x.run')).toEqual(without);
      expect(
        planDriver(within({ said: 'Failed to initialize NVML: Driver/library version mismatch' })),
      ).toEqual(without);
      expect(planDriver(within({ said: 'Failed to initialize NVML: Unknown Error' }))).toEqual({
        kind: 'blocked',
        diagnosis: 'container.lost_gpu',
      });
      expect(planDriver(within({ works: true }))).toMatchObject({ kind: 'nothing' });
    },
  );

  it('a driver that is loaded but fails, as when one GPU of eight is lost, is not installed over', () => {
    const lost = { loaded: '550.54.15', said: 'Unable to determine the device handle for GPU0000:3B:00.0' };
    for (const system of [{}, ubuntu, { id: 'fedora' }])
      expect(planDriver(facts(lost, system))).toEqual({ kind: 'blocked' });
    expect(planDriver(facts({ ...lost, repository: 'cuda-drivers 550.54.15-1' }))).toEqual({
      kind: 'blocked',
    });
    // nvidia-smi said nothing in time.
    expect(planDriver(facts({ loaded: '550.54.15', said: '' }))).toEqual({ kind: 'blocked' });
    // What is left of a driver that was removed, until the next boot.
    expect(planDriver(facts({ loaded: '550.54.15' }))).toMatchObject({ kind: 'change' });
    // What the user names is what the user wants.
    expect(planDriver(facts(lost), '/x.run')).toMatchObject({ kind: 'change' });
  });

  it('a driver from packages that is loaded but fails is not built again, and Secure Boot is not blamed', () => {
    const lost = {
      loaded: '550.54.15',
      said: 'Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost',
    };
    const built = { ...lost, dkms: [`nvidia/550.54.15, ${kernel}, x86_64: installed`], secureBoot: true };
    const signed = {
      ...lost,
      secureBoot: true,
      sources: ['nvidia/550.54.15'],
      packages: ['nvidia-driver-550 550.54.15-0ubuntu1', `linux-modules-nvidia-550-${kernel} 1`],
    };
    for (const state of [built, signed]) {
      expect(planDriver(facts(state, ubuntu))).toEqual({ kind: 'blocked' });
      // Named for an earlier preparation.
      expect(planDriver(facts(state, ubuntu), '/x.run')).toEqual({ kind: 'blocked' });
    }
    const said = 'Failed to initialize NVML: Driver/library version mismatch';
    expect(planDriver(facts({ ...built, said }))).toMatchObject({ kind: 'change', reboot: true });
  });

  it('where Ubuntu’s modules are packages, a kernel without them gets its package, signed, and none from DKMS', () => {
    const died = {
      said: dead,
      secureBoot: true,
      headers: false,
      sources: ['nvidia/550.54.15'],
      packages: [
        'nvidia-driver-550 550.54.15-0ubuntu1',
        'linux-modules-nvidia-535-server-open-6.1.0-18-amd64 1',
        'linux-modules-nvidia-550-6.1.0-18-amd64 1',
        'linux-modules-nvidia-550-generic 1',
      ],
    };
    const script = commands(died, ubuntu);
    expect(script).toMatch(
      new RegExp(`update\n.* install -y linux-modules-nvidia-550-${kernel}\n.*modprobe nvidia`),
    );
    expect(script).not.toMatch(/dkms|linux-headers/);
    const there = { ...died, packages: [...died.packages, `linux-modules-nvidia-550-${kernel} 1`] };
    expect(commands(there, ubuntu)).toMatch(/^modprobe nvidia/);
    const byDkms = { ...died, packages: [...died.packages, 'nvidia-dkms-550 550.54.15-0ubuntu1'] };
    expect(commands(byDkms, ubuntu)).toContain('dkms install -m nvidia -v 550.54.15');
  });

  it('Linux in Windows (WSL) has the driver of Windows: nothing is installed in it, and it is said', () => {
    const said = 'Failed to initialize NVML: GPU access blocked by the operating system';
    for (const nvidia of [{ said }, { said: dead, repository: 'cuda-drivers 580.65.06-1' }]) {
      const plan = planDriver({ ...facts(nvidia, ubuntu), virtualisation: 'wsl' });
      expect(plan).toEqual({ kind: 'blocked', diagnosis: 'driver.wsl' });
    }
    expect(diagnosisOf('driver.wsl')?.remedy.en).toContain('wsl --update');
  });

  it('a virtual machine has a driver of its own', () => {
    expect(planDriver({ ...facts({}), virtualisation: 'kvm' })).toMatchObject({ kind: 'change' });
  });

  it('a .run file is installed without apt, too, where the kernel’s headers are there; a .deb is not', () => {
    const rocky = { id: 'rocky', version: '9.4', pretty: 'Rocky Linux 9.4' };
    const plan = planDriver(facts({}, rocky), '/x.run');
    const script = plan.kind === 'change' ? plan.changes.map(({ command }) => command).join('\n') : plan.kind;
    expect(script).toMatch(/^sh '?\/x\.run'? --silent \$\(.*--dkms.*\)\nmodprobe nvidia/);
    const without = { kind: 'blocked', diagnosis: 'driver.no_kernel_devel' };
    // Before the GPU is taken from nouveau.
    expect(planDriver(facts({ headers: false, nouveau: true }, rocky), '/x.run')).toEqual(without);
    const died = { said: dead, headers: false, sources: ['nvidia/550.54.15'] };
    expect(planDriver(facts(died, rocky))).toEqual(without);
    expect(commands({ ...died, headers: true }, rocky)).toMatch(/^dkms install[^]*modprobe nvidia/);
    expect(planDriver(facts({}, rocky), '/x.deb')).toEqual({
      kind: 'blocked',
      diagnosis: 'driver.other_system',
    });
    expect(diagnosisOf('driver.no_kernel_devel')).not.toHaveProperty('action');
  });

  it('another distribution is refused, and not sent back to the step that refuses', () => {
    for (const id of ['fedora', 'rocky', 'linuxmint', 'openEuler']) {
      const plan = planDriver(facts({}, { id }));
      expect(plan).toEqual({ kind: 'blocked', diagnosis: 'driver.other_system' });
    }
    expect(diagnosisOf('driver.other_system')).not.toHaveProperty('action');
  });
});

/** A machine made of files: `state` holds the output of its fake tools, which change it as the real ones would. */
const machine: Record<string, string> = {
  // No test changes the packages of this machine.
  'apt-get': '#!/bin/sh\nexit 0\n',
  env: '#!/bin/sh\nexit 0\n',
  'systemd-detect-virt': '#!/bin/sh\necho none\nexit 1\n',
  'nvidia-smi': `#!/bin/sh
case "$(cat "$HOME/state")" in
  works) case "$*" in
    *query-gpu*) echo '0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01';;
    *query-compute*) echo "$$, 512";;
    *) echo '| NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: 12.2 |';; esac;;
  *) echo "${dead}"; exit 9;;
esac
`,
  dkms: `#!/bin/sh
case "$1" in
  install) echo "$*" >> "$HOME/dkms.log"
    [ -e "$HOME/broken" ] && { echo 'Error! Bad return status for module build on kernel: ${kernel} (x86_64)' >&2; exit 10; }
    echo built > "$HOME/state";;
esac
`,
  modprobe: '#!/bin/sh\n[ "$(cat "$HOME/state")" = built ] && echo works > "$HOME/state"\nexit 0\n',
  'update-initramfs': '#!/bin/sh\nexit 0\n',
};

async function prepare(
  asker: Asker,
  known: NodeFacts,
  node: Partial<LabNode> = {},
  { through = [], clock = createHandClock() }: { through?: readonly string[]; clock?: Clock } = {},
) {
  const path = `${programsOnly(join(folder, 'bin'), machine)}:${process.env.PATH ?? ''}`;
  const shell = createLocalShell({ home: folder, path, through });
  const lab = labOf(['anna']);
  const status = new NodeStatus(
    lab.id,
    'n0',
    () => undefined,
    () => undefined,
  );
  const work: NodeWork = { facts: known };
  const outcome = runStep(createDriverStep(clock, folder), {
    lab,
    node: { ...lab.nodes[0]!, kind: 'gpu', ...node },
    status,
    work,
    signal: new AbortController().signal,
    clock,
    redo: false,
    connect: () => Promise.resolve(shell),
    rights: createRights({ prompter: asker, memory: forgetfulMemory() }),
  });
  const failed = await outcome.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { failed, step: status.step('driver').snapshot(), work };
}

describe('the step, with stand-in tools', () => {
  const died = { said: dead, sources: ['nvidia/535.183.01'] };

  it('fault 39: a driver that fails after a kernel update is repaired with the user’s consent, and verified', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    const asker = createAsker();
    const { failed, step, work } = await prepare(asker, facts(died));
    expect(failed).toBeUndefined();
    expect(readFileSync(join(folder, 'dkms.log'), 'utf8')).toContain(
      `install -m nvidia -v 535.183.01 -k ${kernel}`,
    );
    expect(step).toMatchObject({
      state: 'done',
      alreadyThere: false,
      summary: { en: 'driver 535.183.01 · CUDA 12.2' },
    });
    expect(work.facts?.gpus).toHaveLength(1);
    expect(work.facts?.gpuProcesses).toMatchObject([{ memoryBytes: 512 * 1024 * 1024 }]);
    expect(asker.questions).toHaveLength(1);
    expect(linesIn(step.log, 'en')).toContain('$ dkms install');
  });

  it('fault 47: an installation left by a killed app is awaited and checked before any question or change', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    const killed = new AbortController();
    const local = createLocalShell({ home: folder });
    const exec: SshSession['exec'] = (script, how) => local.exec(script, { ...how, signal: killed.signal });
    const status = new NodeStatus('lab', 'n0', nothing, nothing).step('driver');
    const shell = createNodeShell({ ...local, exec }, status, new AbortController().signal);
    const asker = createAsker();
    const rights = createRights({ prompter: asker, memory: forgetfulMemory() }).of(local);
    const script = `echo started; while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo works > ${folder}/state`;
    const first = runLasting({ shell, rights, facts: facts(died) }, script, systemChange, { label: 'first' });
    await expect.poll(() => status.log.lines).toContain('started');
    killed.abort();
    await expect(first).rejects.toThrow();

    const second = prepare(asker, facts(died));
    writeFileSync(join(folder, 'go'), '');
    const { failed, step } = await second;
    expect(failed).toBeUndefined();
    expect(linesIn(step.log, 'en')).toMatch(/an earlier installation of Ringlab [^]*started/);
    expect(step.summary.en).toBe('driver 535.183.01 · CUDA 12.2');
    expect(existsSync(join(folder, 'dkms.log'))).toBe(false);
    expect(asker.questions).toHaveLength(0);
  });

  it('does nothing without consent, and reports the planned commands', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    const { failed } = await prepare(
      createAsker(() => ({ kind: 'refuse' })),
      facts(died),
    );
    expect(failed).toMatchObject({ code: 'consent_refused', where: 'anna' });
    expect(existsSync(join(folder, 'dkms.log'))).toBe(false);
  });

  it.each([
    'Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot the system',
    'nvidia-smi does not answer',
  ])('a driver that is loaded but fails: says what it means, and asks nothing: %s', async (said) => {
    writeFileSync(join(folder, 'state'), 'dead');
    const asker = createAsker();
    const { failed, step } = await prepare(asker, facts({ loaded: '550.54.15', said }, { id: 'fedora' }));
    expect(failed).toMatchObject({ code: 'driver_failed', where: 'anna' });
    expect(step.diagnoses?.[0]?.code).toBe('gpu.lost');
    expect(linesIn(step.log, 'en')).toContain(said);
    expect(asker.questions).toHaveLength(0);
  });

  it('leaves a node alone that is drawn without a GPU, as this computer is in a new lab', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    const asker = createAsker();
    const { failed, step } = await prepare(asker, facts(died), { kind: 'cpu' });
    expect(failed).toBeUndefined();
    expect(step).toMatchObject({ alreadyThere: true, summary: { en: 'not needed: training on the CPU' } });
    expect(asker.questions).toHaveLength(0);
  });

  it('fault 39: a module that does not compile is explained in both languages', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    writeFileSync(join(folder, 'broken'), '');
    const { failed, step } = await prepare(createAsker(), facts(died));
    expect(failed).toMatchObject({ code: 'driver_failed' });
    expect(step.diagnoses?.map(({ code }) => code)).toEqual([
      'driver.dkms_failed',
      'driver.dead_after_update',
    ]);
    expect(step.diagnoses?.[0]?.cause['zh-CN']).toContain(kernel);
  });

  it('fault 39: a blocked installation reports its reason and the remedy', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    const { failed, step } = await prepare(createAsker(), facts({ secureBoot: true }));
    expect(failed).toMatchObject({ code: 'driver_blocked' });
    expect(step.diagnoses?.[0]?.code).toBe('driver.secure_boot');
  });
});

/** A clock that runs so many times as fast. */
const faster = (times: number): Clock => ({
  ...systemClock,
  now: () => performance.now() * times,
  ticks: () => performance.now() * times,
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds / times);
    return () => clearTimeout(timer);
  },
});
/** The 15 minutes for a reboot become half a minute, enough on a busy machine. */
const fast = faster(30);

/**
 * A machine with a GPU on its bus and its own modules: fake kernel files are mounted over `/sys` and `/proc` in a
 * mount namespace, so that the facts are read as on a real one.
 */
describe.skipIf(process.getuid?.() !== 0)('a machine that reboots (stand-ins, in a mount namespace)', () => {
  const through = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount -t overlay overlay -o "lowerdir=/etc,upperdir=$HOME/etc,workdir=$HOME/work" /etc && mount --bind "$HOME/pci" /sys/bus/pci/devices && mount --bind "$HOME/module" /sys/module && mount --bind "$HOME/boot_id" /proc/sys/kernel/random/boot_id && exec "$@"',
    'sh',
  ];
  const boot = (onReboot: string): void => {
    mkdirSync(join(folder, 'pci', '0000:01:00.0'), { recursive: true });
    for (const [name, value] of [
      ['class', '0x030000'],
      ['vendor', '0x10de'],
      ['device', '0x2206'],
    ] as const)
      writeFileSync(join(folder, 'pci', '0000:01:00.0', name), `${value}\n`);
    for (const name of ['module', 'etc', 'work']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'boot_id'), 'first\n');
    programsOnly(join(folder, 'bin'), {
      systemctl: `#!/bin/sh\necho second > "$HOME/boot_id"\n${onReboot}\n`,
    });
  };

  it('fault 39: old module and new libraries: the reboot is confirmed, done and awaited, and the driver works', async () => {
    const said = 'Failed to initialize NVML: Driver/library version mismatch';
    writeFileSync(join(folder, 'state'), 'mismatch');
    boot('echo works > "$HOME/state"');
    const asker = createAsker();
    const { failed, step } = await prepare(asker, facts({ said }), {}, { through, clock: fast });
    expect(failed).toBeUndefined();
    expect(step.summary.en).toBe('driver 535.183.01 · CUDA 12.2');
    expect(linesIn(step.log, 'en')).toMatch(/\$ \( sleep 1; systemctl reboot[^]*back after \d+ s/);
    expect(asker.questions).toMatchObject([
      { kind: 'consent', changes: [{ what: { en: 'Reboot the node' } }] },
    ]);
  });

  it('a .run file with nouveau active: nouveau disabled, rebooted, then installed from the uploaded file', async () => {
    writeFileSync(join(folder, 'state'), 'dead');
    boot('rm -rf "$HOME/module/nouveau"');
    mkdirSync(join(folder, 'module', 'nouveau'));
    // Like NVIDIA's installer, it refuses while nouveau is loaded.
    writeFileSync(
      join(folder, 'NVIDIA-Linux.run'),
      `#!/bin/sh
# This archive of NVIDIA’s driver was made with makeself.
[ -e /sys/module/nouveau ] && { echo 'ERROR: The Nouveau kernel driver is currently in use by your system.'; exit 1; }
echo "$*" > "$HOME/installed"; echo built > "$HOME/state"\n`,
    );
    const asker = createAsker();
    const { failed, step } = await prepare(
      asker,
      facts({ nouveau: true }),
      { driverFile: '~/NVIDIA-Linux.run' },
      { through, clock: fast },
    );
    expect(linesIn(step.log, 'en')).toContain('.ringlab/driver/NVIDIA-Linux.run');
    expect(failed).toBeUndefined();
    const kept = join(folder, 'etc', 'modprobe.d', 'ringlab-nouveau.conf');
    expect(readFileSync(kept, 'utf8')).toContain('blacklist nouveau');
    expect(readFileSync(join(folder, 'installed'), 'utf8')).toBe('--silent --dkms\n');
    expect(step.summary.en).toBe('driver 535.183.01 · CUDA 12.2');
  });

  it('a node that does not return from a reboot: reports the wait, and that the step can continue later', async () => {
    writeFileSync(join(folder, 'state'), 'mismatch');
    boot('echo first > "$HOME/boot_id"');
    const said = 'Failed to initialize NVML: Driver/library version mismatch';
    const { failed } = await prepare(createAsker(), facts({ said }), {}, { through, clock: faster(300) });
    expect(failed).toMatchObject({ code: 'reboot_failed', params: { minutes: 15 } });
  });
});
