import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir, uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { describeFacts, parseFacts } from './facts.ts';
import { factsScript } from './facts-script.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { endGroup } from '../../ssh/testing/processes.ts';

const now = { before: 1000, after: 1002 };

async function ask(programs: Record<string, string> = {}, through: readonly string[] = []): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
  try {
    const path = `${programsOnly(join(folder, 'bin'), programs)}:${process.env.PATH ?? ''}`;
    const result = await createLocalShell({ home: folder, path, through }).exec(factsScript);
    expect(result.stderr).toBe('');
    return result.stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('one command reports this machine’s facts', async () => {
  const before = Date.now() / 1000;
  const { facts } = parseFacts(await ask(), { before, after: Date.now() / 1000 });
  expect(facts.hostname).toBe(hostname());
  expect(facts.system.pretty).not.toBe('');
  expect(facts.cpus).toBeGreaterThan(0);
  expect(facts.memoryBytes).toBeGreaterThan(facts.memoryFreeBytes);
  expect(facts.diskBytes).toBeGreaterThan(facts.diskFreeBytes);
  expect(facts.diskFreeBytes).toBeGreaterThan(0);
  expect(facts.bootId).toMatch(/^[0-9a-f-]{36}$/);
  expect(facts.libtorch).toMatch(/^\d+\.\d+/);
  expect(facts.compiler).toMatch(/\d/);
  expect(facts.glibc).toMatch(/^2\.\d+$/);
  expect(Math.abs(facts.clockSkewSeconds)).toBeLessThan(5);
  expect(Math.abs((facts.bootedAt ?? 0) - (before - uptime()))).toBeLessThan(5);
  expect(describeFacts(facts).en).toContain(`${facts.cpus} CPU · `);
});

test('whether a node has apt is what the node says, and facts of earlier versions do not say it', async () => {
  const output = await ask();
  expect(parseFacts(output, now).facts.apt).toBe(existsSync('/var/lib/dpkg/status'));
  expect(parseFacts(output.replace(/^apt=.*$/m, 'apt=no'), now).facts.apt).toBe(false);
  expect(parseFacts(output.replace(/^apt=.*$/m, ''), now).facts.apt).toBeUndefined();
});

test('both drivers of NVIDIA’s repository are known, where it has both', () => {
  const said =
    'nvidia=yes\nnvidia_repository=cuda-drivers 580.65.06-1\nnvidia_repository=nvidia-open 580.65.06-1\n';
  const { nvidia } = parseFacts(`${whole}boot_id=b\n${said}end=yes\n`, now).facts;
  expect(nvidia?.repository).toBe('cuda-drivers 580.65.06-1 / nvidia-open 580.65.06-1');
  expect(parseFacts(`${whole}boot_id=b\nnvidia=yes\nend=yes\n`, now).facts.nvidia).not.toHaveProperty(
    'repository',
  );
});

test('GPUs, driver and CUDA come from nvidia-smi (stand-in)', async () => {
  const output = await ask({
    'nvidia-smi': `#!/bin/sh
case "$*" in
  *query-gpu*) echo '0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01'
               echo '1, NVIDIA GeForce RTX 3080, 10240, 00000000:02:00.0, 535.183.01';;
  *) echo '| NVIDIA-SMI 535.183.01   Driver Version: 535.183.01   CUDA Version: 12.2     |';;
esac
`,
  });
  const { facts } = parseFacts(output, now);
  expect(facts).toMatchObject({
    cuda: '12.2',
    driver: '535.183.01',
    gpus: [
      { index: 0, name: 'NVIDIA GeForce RTX 3080', memoryBytes: 10_737_418_240, pciId: '00000000:01:00.0' },
      { index: 1, pciId: '00000000:02:00.0' },
    ],
  });
});

test('what a GPU can compute is known from a driver that says it (stand-in)', async () => {
  const answers = (capabilities: string): Record<string, string> => ({
    'nvidia-smi': `#!/bin/sh
case "$*" in
  *compute_cap*) ${capabilities};;
  *query-gpu*) echo '0, Tesla V100, 16384, 00000000:01:00.0, 580.95'; echo '1, NVIDIA H100, 81559, 00000000:02:00.0, 580.95';;
  *) echo 'CUDA Version: 13.0';;
esac
`,
  });
  const capabilities = async (text: string): Promise<unknown[]> =>
    parseFacts(await ask(answers(text)), now).facts.gpus.map(({ capability }) => capability);
  expect(await capabilities('echo 7.0; echo 9.0')).toEqual([7, 9]);
  const { facts } = parseFacts(await ask(answers('exit 2')), now);
  expect(describeFacts(facts).en).toContain('1 × Tesla V100, 1 × NVIDIA H100');
  expect(await capabilities('echo Field \\"compute_cap\\" is not valid; exit 2')).toEqual([
    undefined,
    undefined,
  ]);
});

/** nvidia-smi's answers to the four questions of the script. */
const answering = (
  { rows, capabilities = '', processes = '', table = '| CUDA Version: 12.2 |' }: Record<string, string>,
  code = 0,
): Record<string, string> => ({
  'nvidia-smi': `#!/bin/sh
case "$*" in
  *compute_cap*) cat <<'END'\n${capabilities}\nEND
    ;;
  *query-gpu*) cat <<'END'\n${rows ?? ''}\nEND
    ;;
  *query-compute*) cat <<'END'\n${processes}\nEND
    ;;
  *) cat <<'END'\n${table}\nEND
esac
exit ${code}
`,
});

test('a GPU whose infoROM is damaged computes: nvidia-smi answers, warns and ends with 14 (stand-in)', async () => {
  const warning = 'WARNING: infoROM is corrupted at gpu 0000:3B:00.0';
  const rows = `0, Tesla V100-SXM2-16GB, 16384, 00000000:3B:00.0, 535.183.01, GPU-1\n${warning}`;
  const said = { capabilities: `7.0\n${warning}`, processes: `4242, 300\n${warning}` };
  const table = `| Driver Version: 535.183.01   CUDA Version: 12.2 |\n${warning}`;
  const { facts } = parseFacts(await ask(answering({ rows, ...said, table }, 14)), now);
  expect(facts).toMatchObject({ cuda: '12.2', driver: '535.183.01', nvidia: { works: true } });
  expect(facts.gpus).toMatchObject([{ name: 'Tesla V100-SXM2-16GB', capability: 7 }]);
  expect(facts.gpuProcesses).toMatchObject([{ pid: 4242 }]);
  expect(parseFacts(await ask(answering({ rows }, 15)), now).facts.gpus).toEqual([]);
});

test('a driver that finds no device does not work, also where nvidia-smi ends with 0 (stand-in)', async () => {
  const { facts } = parseFacts(await ask(answering({ rows: 'No devices were found' })), now);
  expect(facts.nvidia?.works).not.toBe(true);
});

test('what is not known of one GPU is not said of another (stand-in)', async () => {
  const rows = [0, 1, 2].map((index) => `${index}, G, [N/A], 00000000:0${index}:00.0, 580.95, GPU-${index}`);
  const capabilities = '[Unknown Error]\n[N/A]\n9.0';
  const { gpus } = parseFacts(await ask(answering({ rows: rows.join('\n'), capabilities })), now).facts;
  expect(gpus.map(({ capability }) => capability)).toEqual([undefined, undefined, 9]);
  expect(gpus.map(({ memoryBytes }) => memoryBytes)).toEqual([undefined, undefined, undefined]);
});

test('of a machine’s GPUs those count that the account’s CUDA_VISIBLE_DEVICES gives it (stand-in)', async () => {
  const rows = ['a1', 'b2', 'c3', 'd4'].map(
    (id, index) => `${index}, Model ${index}, 24576, 00000000:0${index}:00.0, 580.95, GPU-${id}-0000`,
  );
  const programs = answering({ rows: rows.join('\n'), capabilities: '8.0\n8.6\n8.9\n9.0' });
  const seen = async (devices: string): Promise<unknown[]> => {
    const { facts } = parseFacts(await ask(programs, ['env', `CUDA_VISIBLE_DEVICES=${devices}`]), now);
    return facts.gpus.map(({ name, capability }) => [name, capability]);
  };
  expect(await seen('2,3')).toEqual([
    ['Model 2', 8.9],
    ['Model 3', 9],
  ]);
  expect(await seen('GPU-d4,GPU-a1')).toEqual([
    ['Model 3', 9],
    ['Model 0', 8],
  ]);
  // CUDA ends at the first that is not there.
  expect(await seen('1,9,2')).toEqual([['Model 1', 8.6]]);
  // It gives none: trying them says so.
  for (const none of ['', '-1', 'NoDevFiles', 'MIG-b2']) expect(await seen(none)).toHaveLength(4);
});

test('an nvidia-smi that takes 40 s, as without persistence mode, is waited for, once and not four times (stand-ins)', async () => {
  const timeout = '#!/bin/sh\n[ "$1" -gt 40 ] || exit 124\nshift; exec "$@"\n';
  // Each of the last three ends when all three have begun.
  const met = `#!/bin/sh
case "$*" in
  *index*) echo '0, NVIDIA H100, 81559, 00000000:01:00.0, 580.95, GPU-1'; exit;;
  *compute_cap*) name=capability answer=9.0;;
  *query-compute*) name=processes answer='4242, 300';;
  *) name=table answer='CUDA Version: 13.0';;
esac
: > "$HOME/$name"
until [ -e "$HOME/capability" ] && [ -e "$HOME/processes" ] && [ -e "$HOME/table" ]; do sleep 0.1; done
echo "$answer"
`;
  const { facts } = parseFacts(await ask({ timeout, 'nvidia-smi': met }), now);
  expect(facts).toMatchObject({ cuda: '13.0', gpus: [{ capability: 9 }], gpuProcesses: [{ pid: 4242 }] });
});

test('packages that are held are installed; removed ones are not (stand-in)', async () => {
  const dpkg = `#!/bin/sh
case "$*" in *nvidia*) echo 'hi nvidia-driver-535 535.183.01-0ubuntu1'; echo 'rc nvidia-driver-470 470.1'; echo 'ii linux-modules-nvidia-535-generic 1';; esac
`;
  const rows = '0, NVIDIA H100, 81559, 00000000:01:00.0, 535.183.01, GPU-1';
  const { nvidia } = parseFacts(await ask({ ...answering({ rows }), 'dpkg-query': dpkg }), now).facts;
  expect(nvidia?.packages).toEqual([
    'nvidia-driver-535 535.183.01-0ubuntu1',
    'linux-modules-nvidia-535-generic 1',
  ]);
});

test.each([
  ['SecureBoot enabled', true],
  ['SecureBoot enabled\nSecureBoot validation is disabled in shim', false],
  ['SecureBoot disabled\nPlatform is in Setup Mode', false],
])('Secure Boot counts where the kernel refuses unsigned modules: %j (stand-in)', async (state, counts) => {
  const rows = '0, NVIDIA H100, 81559, 00000000:01:00.0, 535.183.01, GPU-1';
  const mokutil = `#!/bin/sh\ncat <<'END'\n${state}\nEND\n`;
  const { nvidia } = parseFacts(await ask({ ...answering({ rows }), mokutil }), now).facts;
  expect(nvidia?.secureBoot).toBe(counts);
});

test('an nvidia-smi that nothing ends is left behind, and the other facts are there (stand-in)', async () => {
  const script = factsScript.replace('-lt 500', '-lt 10');
  expect(script).not.toBe(factsScript);
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
  try {
    const stuck = `#!/bin/sh\necho $$ >>${folder}/pids\ntrap '' TERM\nwhile :; do sleep 1; done\n`;
    const path = `${programsOnly(join(folder, 'bin'), { 'nvidia-smi': stuck })}:${process.env.PATH ?? ''}`;
    const { stdout } = await createLocalShell({ home: folder, path }).exec(script);
    expect(stdout).not.toContain('gpu=');
    expect(parseFacts(stdout, now).facts.cpus).toBeGreaterThan(0);
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n');
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    expect(pids).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a container’s limits are known in both versions of control groups', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
  const limits = async (files: Record<string, string>, own = '0::/'): Promise<unknown> => {
    const root = mkdtempSync(join(folder, 'cgroup-'));
    mkdirSync(join(root, 'cpu'));
    mkdirSync(join(root, 'memory'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), `${text}\n`);
    }
    writeFileSync(join(root, 'own'), `${own}\n`);
    const script = factsScript
      .replaceAll('/sys/fs/cgroup', root)
      .replaceAll('/proc/self/cgroup', join(root, 'own'));
    const { stdout, stderr } = await createLocalShell({ home: folder, path: process.env.PATH ?? '' }).exec(
      script,
    );
    expect(stderr).toBe('');
    return parseFacts(stdout, now).facts.limits;
  };
  try {
    const memoryBytes = 2 ** 30;
    expect(await limits({ 'cpu.max': '150000 100000', 'memory.max': '1073741824' })).toEqual({
      cpus: 1.5,
      memoryBytes,
    });
    const quota = 'cpu/cpu.cfs_quota_us';
    const period = { 'cpu/cpu.cfs_period_us': '100000' };
    const memory = 'memory/memory.limit_in_bytes';
    expect(await limits({ ...period, [quota]: '400000', [memory]: '1073741824' })).toEqual({
      cpus: 4,
      memoryBytes,
    });
    expect(await limits({ ...period, [quota]: '-1', [memory]: '9223372036854771712' })).toBeUndefined();
    // An account's slice on a shared machine, whose root group has no limits.
    const slice = 'user.slice/user-1000.slice';
    const session = {
      [`${slice}/session-3.scope/cpu.max`]: 'max 100000',
      [`${slice}/cpu.max`]: '400000 100000',
    };
    const ofSlice = { ...session, [`${slice}/memory.max`]: '1073741824', 'user.slice/memory.max': 'max' };
    expect(await limits(ofSlice, `1:name=systemd:/x\n0::/${slice}/session-3.scope`)).toEqual({
      cpus: 4,
      memoryBytes,
    });
    // A container with the machine's path, and with one outside of its namespace.
    for (const path of ['/kubepods/pod7', '/../other'])
      expect(await limits({ 'cpu.max': '200000 100000' }, `0::${path}`)).toEqual({ cpus: 2 });
    // More than the machine has is no limit.
    expect(await limits({ 'memory.max': String(2 ** 59) })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const smi = (header: string): Record<string, string> => ({
  'nvidia-smi': `#!/bin/sh
case "$*" in
  *query-gpu*) echo '0, NVIDIA H100, 81559, 00000000:01:00.0, 610.43.02';;
  *) echo '${header}';;
esac
`,
  nvcc: "#!/bin/sh\necho 'Cuda compilation tools, release 11.5, V11.5.119'\n",
});

test('the CUDA of a driver from 610 on has another name in nvidia-smi’s header (stand-in)', async () => {
  const header =
    '| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02        CUDA UMD Version: 13.3     |';
  expect(parseFacts(await ask(smi(header)), now).facts).toMatchObject({ cuda: '13.3', driver: '610.43.02' });
});

test('a toolkit’s CUDA is not the driver’s: where nvidia-smi names none it follows from the driver', async () => {
  const output = await ask(smi('| NVIDIA-SMI 610.43.02   A new header     |'));
  expect(parseFacts(output, now).facts.cuda).toBe('13.0');
  const of = (driver: string): string | undefined =>
    parseFacts(output.replaceAll('610.43.02', driver), now).facts.cuda;
  expect(of('580.65.06')).toBe('13.0');
  expect(of('575.57.08')).toBe('12.0');
  expect(of('525.60.13')).toBe('12.0');
  expect(of('515.105.01')).toBe('11.0');
  // Of before the header: no PyTorch is taken for a driver that runs it.
  expect(of('418.226.00')).toBe('10.0');
  expect(of('390.157')).toBe('9.0');
  expect(of('340.108')).toBeUndefined();
});

test.skipIf(process.getuid?.() !== 0)(
  'WSL’s nvidia-smi is found although it is on no PATH over SSH',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
    for (const name of ['lib', 'work']) mkdirSync(join(folder, name));
    programsOnly(join(folder, 'lib', 'wsl', 'lib'), smi('| CUDA Version: 12.8 |'));
    const overlay = 'lowerdir=/usr/lib,upperdir=$HOME/lib,workdir=$HOME/work';
    const mount = `mount -t overlay overlay -o "${overlay}" /usr/lib; exec "$@"`;
    const shell = createLocalShell({
      home: folder,
      through: ['unshare', '--mount', 'sh', '-ec', mount, 'sh'],
    });
    try {
      const { facts } = parseFacts((await shell.exec(factsScript)).stdout, now);
      expect(facts).toMatchObject({ cuda: '12.8', gpus: [{ name: 'NVIDIA H100' }], nvidia: { works: true } });
      const said = 'Failed to initialize NVML: GPU access blocked by the operating system';
      const smiFails = `#!/bin/sh\necho '${said}'\nexit 255\n`;
      programsOnly(join(folder, 'lib', 'wsl', 'lib'), { 'nvidia-smi': smiFails });
      const blocked = parseFacts((await shell.exec(factsScript)).stdout, now).facts;
      expect(blocked).toMatchObject({ gpus: [], nvidia: { works: false, said } });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test('the cores are the machine’s, whatever threads its user wants of OpenMP', async () => {
  const through = ['env', 'OMP_NUM_THREADS=4321', 'OMP_THREAD_LIMIT=4000'];
  const { stdout } = await createLocalShell({ home: tmpdir(), through }).exec(factsScript);
  expect(parseFacts(stdout, now).facts.cpus).toBe(parseFacts(await ask(), now).facts.cpus);
});

test('permissions are probed without a question: no root, sudo that needs a password (stand-ins)', async () => {
  const id = '#!/bin/sh\n[ "$1" = -u ] && echo 1000 || echo anna\n';
  const refusing = await ask({ id, sudo: '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n' });
  expect(parseFacts(refusing, now).facts).toMatchObject({ root: false, sudo: 'password', user: 'anna' });
  const willing = await ask({ id, sudo: '#!/bin/sh\nexit 0\n' });
  expect(parseFacts(willing, now).facts).toMatchObject({ root: false, sudo: 'passwordless' });
});

test('a running package manager is found by its process name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
  const program = join(folder, 'pacman');
  copyFileSync('/bin/sleep', program);
  const running = spawn(program, ['60'], { stdio: 'ignore' });
  try {
    await once(running, 'spawn');
    // This computer's own package manager may be running, too.
    expect(parseFacts(await ask(), now).facts.packageManager).toMatch(
      /^(pacman|apt|apt-get|dpkg|unattended-upgr)$/,
    );
  } finally {
    running.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(process.getuid?.() !== 0)(
  'apt counts as active while it holds its lock, not while it waits',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
    mkdirSync(join(folder, 'dpkg'));
    writeFileSync(join(folder, 'dpkg', 'lock-frontend'), '');
    // The lock is real; only the program's name (apt) is fake.
    copyFileSync('/usr/bin/flock', join(folder, 'apt-get'));
    const through = [
      'unshare',
      '--mount',
      'sh',
      '-ec',
      `mount --bind ${folder}/dpkg /var/lib/dpkg; exec "$@"`,
      'sh',
    ];
    const shell = createLocalShell({ home: folder, through });
    const seen = async (): Promise<string | undefined> =>
      parseFacts((await shell.exec(factsScript)).stdout, now).facts.packageManager;
    try {
      expect(await seen()).not.toBe('apt-get');
      const file = join(folder, 'dpkg', 'lock-frontend');
      const holding = spawn(join(folder, 'apt-get'), [file, 'sh', '-c', 'echo locked; exec sleep 60'], {
        detached: true,
      });
      await once(holding.stdout, 'data');
      expect(await seen()).toBe('apt-get');
      endGroup(holding);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'a container without systemd is known by its engine’s file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
    const hide = `for program in $(command -v systemd-detect-virt); do mount --bind /dev/null "$program"; done`;
    const script = `mount -t tmpfs tmpfs /run; : > /run/.containerenv; ${hide}; exec "$@"`;
    const shell = createLocalShell({
      home: folder,
      through: ['unshare', '--mount', 'sh', '-ec', script, 'sh'],
    });
    try {
      const { facts } = parseFacts((await shell.exec(factsScript)).stdout, now);
      expect(facts.virtualisation).toBe(existsSync('/.dockerenv') ? 'docker' : 'podman');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'the driver’s sources have the name by which DKMS knows them',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-facts-'));
    const confs = {
      'nvidia-535.183.01': 'PACKAGE_NAME="nvidia"\nPACKAGE_VERSION="535.183.01"\nCLEAN="make clean"\n',
      'nvidia-current-535.216.01':
        "# Debian\nPACKAGE_NAME='nvidia-current'\nPACKAGE_VERSION='535.216.01' # new\n",
      'nvidia-srv-550.54.15': 'PACKAGE_VERSION=550.54.15\nPACKAGE_NAME=nvidia-srv',
      'nvidia-fs-2.17.5': 'PACKAGE_NAME="nvidia-fs"\nPACKAGE_VERSION="2.17.5"\n',
      'nvidia-broken': 'PACKAGE_NAME="nvidia"\n',
    };
    for (const [name, text] of Object.entries(confs)) {
      mkdirSync(join(folder, 'src', name), { recursive: true });
      writeFileSync(join(folder, 'src', name, 'dkms.conf'), text);
    }
    const path = `${programsOnly(join(folder, 'bin'), smi(''))}:${process.env.PATH ?? ''}`;
    const through = ['unshare', '--mount', 'sh', '-ec', 'mount --bind "$HOME/src" /usr/src; exec "$@"', 'sh'];
    try {
      const { stdout, stderr } = await createLocalShell({ home: folder, path, through }).exec(factsScript);
      expect(stderr).toBe('');
      expect(parseFacts(stdout, now).facts.nvidia?.sources).toEqual([
        'nvidia/535.183.01',
        'nvidia-current/535.216.01',
        'nvidia-fs/2.17.5',
        'nvidia-srv/550.54.15',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

const whole = `os=Linux
kernel=6.1
arch=x86_64
hostname=node
user=anna
uid=1000
home=/home/anna
shell=/usr/bin/fish
time=1031.5
cpus=4
`;

test('a node that does not run Linux is named, and truncated output is refused', () => {
  expect(() => parseFacts('os=FreeBSD\nend=yes\n', now)).toThrow('node_unsupported system=FreeBSD');
  expect(() => parseFacts(whole, now)).toThrow('facts_unreadable');
  expect(() => parseFacts(`${whole.replace('home=/home/anna', 'home=anna')}end=yes\n`, now)).toThrow('home');
  expect(() => parseFacts('', now)).toThrow('facts_unreadable');
});

test('missing parts are left out, a libtorch in another folder is found, a wrong clock is reported', () => {
  const { facts, libtorch } = parseFacts(
    `${whole}libtorch_folder=2.1.0+cpu cxx11 /opt/libtorch\naddress=eth0 10.0.0.2/24\naddress=- 10.1.0.2\npci=0000:01:00.0 0x2206\nend=yes\n`,
    now,
  );
  expect(facts.compiler).toBeUndefined();
  expect(facts.driver).toBeUndefined();
  expect(facts.libtorch).toBe('2.1.0');
  expect(libtorch).toEqual({ version: '2.1.0', prefix: '/opt/libtorch', abi: 'cxx11' });
  expect(facts.addresses).toEqual([
    { interface: 'eth0', address: '10.0.0.2' },
    { interface: '', address: '10.1.0.2' },
  ]);
  expect(facts.gpus).toEqual([{ index: 0, name: 'NVIDIA 0x2206', pciId: '0000:01:00.0' }]);
  expect(facts.clockSkewSeconds).toBe(30.5);
  expect(describeFacts(facts).en).toContain('clock 31 s off');
  expect(describeFacts(facts)['zh-CN']).toContain('时钟相差 31 秒');
});

test('a slow script does not distort the clock offset', () => {
  const { facts } = parseFacts(`${whole}finished=1041.5\nend=yes\n`, { before: 1001.5, after: 1011.5 });
  expect(facts.clockSkewSeconds).toBeCloseTo(30);
  expect(facts.bootedAt).toBeUndefined();
});

test('when a node was started is said by this computer’s clock, whatever the node’s says', () => {
  const times = 'ticks=5050\nfinished=90000\nfinished_ticks=6050\n';
  const { facts } = parseFacts(`${whole}${times}end=yes\n`, { before: 1001.5, after: 1011.5 });
  expect(facts.bootedAt).toBeCloseTo(951);
  const nonsense = times.replace('5050', 'x');
  expect(parseFacts(`${whole}${nonsense}end=yes\n`, now).facts.bootedAt).toBeUndefined();
});
