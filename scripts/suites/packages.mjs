/**
 * Tests the packages of the web host as users meet them: npm's in a fresh folder, Debian's and the archive on a bare Debian 12
 * that has neither Node nor a compiler. Each is installed, started, used, updated and removed; two builds are equal.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lastLines, runCommand } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { runNpm } from '../setup/packages.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, inProject } from '../setup/project.mjs';
import { debianChroot, inChroot, noChroot } from './chroot.mjs';
import { sum } from './counts.mjs';
import { servesPage } from './served-page.mjs';

const lab = 'assets/labs/three-local-nodes.lab.json';
/** In the chroot. */
const user = '/home/李 雷';

/** @returns {Promise<import('./counts.mjs').Counts>} */
export async function packages() {
  const results = [];
  const check = async (name, work) => {
    const problem = await work().catch((error) => String(error));
    process.stdout.write(problem === undefined ? `✓ ${name}\n` : `✗ ${name}: ${problem}\n`);
    results.push({
      passed: Number(problem === undefined),
      failed: Number(problem !== undefined),
      skipped: 0,
    });
    return problem === undefined;
  };
  const first = await build();
  await check('a second build differs in no byte', async () => {
    const second = await build();
    return first === second ? undefined : `${first}\n${second}`;
  });
  const name = (pattern) =>
    first
      .split('\n')
      .find((line) => pattern.test(line))
      ?.slice(66) ?? '';
  await check(
    'npm’s package is installed in a fresh folder, serves the window and trains on local nodes',
    () => fromNpm(name(/\.tgz$/)),
  );
  const reason = noChroot();
  const [deb, archive] = [name(/\.deb$/), name(/\.tar\.xz$/)];
  if (reason !== undefined || deb === '' || archive === '') {
    process.stdout.write(`skipped: ${reason ?? 'this system makes no package with its own Node'}\n`);
    return sum([...results, { passed: 0, failed: 0, skipped: 2 }]);
  }
  const machine = await bareMachine([deb, archive]);
  try {
    await check('Debian’s package is installed, serves the window, is updated and removed', () =>
      fromDebian(machine, deb),
    );
    await check(
      'the archive is installed for one user, serves the window, is updated meanwhile and removed',
      () => fromArchive(machine, archive),
    );
  } finally {
    rmSync(machine, { recursive: true, force: true });
  }
  return sum(results);
}

/** @returns {Promise<string>} release/SHA256SUMS without what needs Electron */
async function build() {
  const { code, output } = await runCommand(
    process.execPath,
    [inProject('scripts', 'package.mjs'), '--quick'],
    {
      cwd: inProject(),
      // Another umask and time zone than a release's would have.
      env: { ...process.env, TZ: existsSync(inProject('release')) ? 'Asia/Shanghai' : 'UTC' },
      onLine: (line) => /^(?:✓|✗|No installer)/.test(line) && log(line),
    },
  );
  if (code !== 0)
    throw new SetupFailure('npm run package failed', 'see its last lines', lastLines(output, 40));
  return readFileSync(inProject('release', 'SHA256SUMS'), 'utf8')
    .split('\n')
    .filter((line) => !/\.AppImage$|Ringlab/.test(line))
    .join('\n');
}

const log = (line) => process.stdout.write(`  │ ${line}\n`);

/** @param {string} file */
async function fromNpm(file) {
  const folder = join(cacheFolder, '新 npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'package.json'), '{"name":"fresh","version":"1.0.0","private":true}\n');
    const installed = await runNpm(
      ['install', '--no-audit', '--no-fund', inProject('release', file)],
      log,
      folder,
    );
    if (installed.code !== 0) return lastLines(installed.output, 20);
    const data = join(folder, 'data');
    const ringlab = (...args) => [
      'npx',
      ['--no-install', 'ringlab', ...args, '--data', data],
      { cwd: folder },
    ];
    const answer = await runCommand(...ringlab('check', `node_modules/ringlab/${lab}`));
    if (answer.code !== 0 || !answer.output.includes('"ok":true')) return answer.output;
    const served = await servesPage(...ringlab('serve', '--no-open'));
    if (served !== undefined || process.platform !== 'linux') return served;
    writeFileSync(join(folder, 'small.lab.json'), smallLab(join(folder, 'node_modules', 'ringlab', lab)));
    const [npx, args, options] = ringlab('run', 'small.lab.json', '--out', 'out', '--yes');
    const run = await runCommand(npx, args, {
      ...options,
      env: { ...process.env, RINGLAB_NETWORK: 'off' },
      onLine: log,
    });
    if (!run.output.includes('"state":"finished"')) return lastLines(run.output, 30);
    return existsSync(join(folder, 'out', 'model_best.pth.tar')) ? undefined : 'no model_best.pth.tar';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two nodes of the example and a few images. @param {string} example @returns {string} */
function smallLab(example) {
  const whole = JSON.parse(readFileSync(example, 'utf8'));
  const data = { type: 'shapes', train: 40, validation: 10, size: 32, seed: 1 };
  const experiment = { ...whole.experiment, data, batchSize: 20, epochs: 1 };
  return JSON.stringify({ ...whole, id: 'small', nodes: whole.nodes.slice(0, 2), links: [], experiment });
}

/** A Debian 12 without Node, with the packages in /root. @returns {Promise<string>} its folder */
async function bareMachine(files) {
  const base = await debianChroot(createProgress(), {
    name: 'bookworm-packages',
    suite: 'bookworm',
    sections: 'main',
    packages: ['xz-utils'],
  });
  const folder = join(cacheFolder, 'chroots', 'installed');
  rmSync(folder, { recursive: true, force: true });
  const copied = await runCommand('cp', ['-a', base.folder, folder]);
  if (copied.code !== 0)
    throw new SetupFailure(`${base.folder} could not be copied`, 'is the disk full?', copied.output);
  for (const file of files) cpSync(inProject('release', file), join(folder, 'root', file));
  mkdirSync(folder + user, { recursive: true });
  return folder;
}

/** Runs a program inside. @returns {Promise<{ code: number, output: string }>} */
const inside = (machine, ...program) =>
  runCommand('unshare', inChroot(machine, ['env', `HOME=${user}`, ...program]), { onLine: log });

/** @returns {Promise<string | undefined>} the problem of the first command that fails */
async function all(machine, commands) {
  for (const command of commands) {
    const { code, output } = await inside(machine, ...command);
    if (code !== 0) return `${command.join(' ')} ended with ${code}\n${lastLines(output, 20)}`;
  }
  return undefined;
}

/** Every file and link of the machine but those that running programs write. */
async function filesOf(machine) {
  const { output } = await runCommand(
    'find',
    [
      machine,
      '-xdev',
      ...[
        '/proc',
        '/sys',
        '/dev',
        '/tmp',
        '/run',
        '/var/lib/dpkg',
        '/var/log',
        '/var/cache',
        '/root',
      ].flatMap((path) => ['-path', machine + path, '-prune', '-o']),
      '-printf',
      '%P\n',
    ],
    { keep: 64 * 1024 * 1024 },
  );
  return output.split('\n').sort();
}

/** What is there after the removal and was not before, apart from the user's data. */
async function leftOver(machine, before) {
  const now = await filesOf(machine);
  const data = `${user.slice(1)}/.local`;
  const left = now.filter((path) => !before.includes(path) && !path.startsWith(data));
  const lab = existsSync(join(machine, user, '.local/share/ringlab'));
  return left.length > 0 ? `left: ${left.join(' ')}` : lab ? undefined : 'the user’s data is gone, too';
}

async function fromDebian(machine, file) {
  const before = await filesOf(machine);
  const problem =
    (await all(machine, [
      ['dpkg', '--install', `/root/${file}`],
      ['ringlab', '--help'],
      ['ringlab', 'check', `/usr/lib/ringlab/${lab}`],
      ['ringlab', 'doctor'],
    ])) ?? (await servesInside(machine, '/usr/bin/ringlab'));
  if (problem !== undefined) return problem;
  const update = await newer(machine, file);
  return (
    (await all(machine, [
      ['dpkg', '--install', update],
      ['ringlab', 'runs'],
      ['dpkg', '--verify', 'ringlab-web'],
      ['dpkg', '--purge', 'ringlab-web'],
    ])) ?? (await leftOver(machine, before))
  );
}

/** The same package with a higher version. @returns {Promise<string>} its path inside */
async function newer(machine, file) {
  const script = [
    'set -e',
    'cd /root',
    'dpkg-deb --raw-extract "$0" newer',
    "sed -i 's/^Version: .*/&+1/' newer/DEBIAN/control",
    'dpkg-deb --root-owner-group -Znone --build newer newer.deb',
    'rm -r newer',
  ].join('\n');
  const { code, output } = await inside(machine, 'sh', '-c', script, file);
  if (code !== 0) throw new Error(output);
  return '/root/newer.deb';
}

async function fromArchive(machine, file) {
  const before = await filesOf(machine);
  const folder = `${user}/下载`;
  const unpacked = `${folder}/${basename(file, '.tar.xz')}`;
  const program = `${user}/.local/bin/ringlab`;
  // Of another time, as a newer version is.
  const update = () =>
    all(machine, [
      ['touch', `${unpacked}/dist/main/cli.js`],
      ['sh', `${unpacked}/install.sh`],
    ]);
  const problem =
    (await all(machine, [
      ['mkdir', '-p', folder],
      ['tar', '-xJf', `/root/${file}`, '-C', folder],
      [`${unpacked}/bin/ringlab`, 'check', `${unpacked}/${lab}`],
      ['sh', `${unpacked}/install.sh`],
      [program, 'doctor'],
    ])) ?? (await servesInside(machine, program, update));
  if (problem !== undefined) return problem;
  return (
    (await all(machine, [
      [program, 'runs'],
      ['sh', `${user}/.local/lib/ringlab/uninstall.sh`],
      ['rm', '-r', folder],
      ['test', '!', '-e', program],
      ['test', '!', '-e', `${user}/.local/lib`],
      ['test', '!', '-e', `${user}/.local/share/icons`],
    ])) ?? (await leftOver(machine, before))
  );
}

/** @param {() => Promise<string | undefined>} [update] while the window is served, which goes on with its own files */
const servesInside = (machine, program, update) =>
  servesPage(
    'unshare',
    inChroot(machine, ['env', `HOME=${user}`, program, 'serve', '--no-open']),
    {},
    update,
  );
