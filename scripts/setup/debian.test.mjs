import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommand } from './command.mjs';
import { localPackages, testPackages, trainerPackages } from './debian-packages.mjs';
import { debianPackages } from './debian.mjs';

vi.mock('./command.mjs', async (original) => ({ ...(await original()), runCommand: vi.fn() }));
vi.mock('node:fs', async (original) => ({ ...(await original()), readdirSync: vi.fn() }));

const browser = 'chromium-headless-shell';
const all = [...trainerPackages, ...localPackages, ...testPackages];
let commands;
let said;
const progress = {
  say: (line) => said.push(line),
  step: (_, work) => work({ say: (line) => said.push(line), now: () => undefined }),
};

beforeEach(() => {
  [commands, said] = [[], []];
});
afterEach(() => vi.clearAllMocks());

/**
 * @param {{ installed: readonly string[], archive: readonly string[], root: boolean, lists?: boolean, broken?: string }} system
 *   `archive`: what apt can install; `lists`: whether apt has read what is in it; `broken`: what apt says of a source that it cannot read
 */
function pretend({ installed, archive, root, lists = true, broken = '' }) {
  let updated = lists;
  vi.spyOn(process, 'getuid').mockReturnValue(root ? 0 : 1000);
  readdirSync.mockImplementation(() => (updated ? ['archive_dists_noble_universe_Packages'] : []));
  runCommand.mockImplementation((program, args) => {
    const line = [program, ...args].join(' ');
    commands.push(line);
    const done = (output, code = 0) => Promise.resolve({ code, output });
    if (program === 'dpkg-query') return done(installed.map((name) => `${name} ii  1.0`).join('\n'));
    if (program === 'sudo') return done('', 1);
    if (line.includes(' apt-get -q update')) {
      updated = true;
      return done(broken, broken === '' ? 0 : 100);
    }
    if (program === 'apt-cache')
      return done(
        args
          .filter((name) => updated && archive.includes(name))
          .map((name) => `${name}:\n  Installed: (none)\n  Candidate: 1.0\n`)
          .join(''),
      );
    const absent = args.filter((name) => all.includes(name) && !archive.includes(name));
    return done(absent.map((name) => `E: Unable to locate package ${name}`).join('\n'), absent.length);
  });
}

it('what no archive of this system has is left out, without asking for rights', async () => {
  const others = all.filter((name) => name !== browser);
  pretend({ installed: others, archive: others, root: false });
  await debianPackages(progress, 'everything');
  expect(commands.filter((line) => line.includes('apt-get'))).toEqual([]);
});

it('where apt has read no lists yet it reads them before it says what the archive lacks', async () => {
  const others = all.filter((name) => name !== browser);
  pretend({ installed: [], archive: others, root: true, lists: false });
  await debianPackages(progress, 'everything');
  const installs = commands.filter((line) => line.includes(' install -y '));
  expect(installs).toHaveLength(1);
  expect(installs[0]).not.toContain(browser);
  expect(said.join('\n')).toContain('RINGLAB_CHROMIUM');
});

it('where the archive has it, it is installed', async () => {
  pretend({ installed: all.filter((name) => name !== browser), archive: all, root: true });
  await debianPackages(progress, 'everything');
  expect(commands.at(-1)).toMatch(new RegExp(` install -y --no-install-recommends ${browser}$`));
});

it('another package that the archive lacks is a failure', async () => {
  const others = all.filter((name) => name !== 'cmake');
  pretend({ installed: others, archive: others, root: true });
  await expect(debianPackages(progress, 'everything')).rejects.toThrow('apt could not install');
});

const broken = "E: The repository 'http://third.example stable Release' does not have a Release file.";

it('one source of apt’s that cannot be read does not keep what others have from being installed', async () => {
  pretend({ installed: [], archive: all, root: true, lists: false, broken });
  await debianPackages(progress, 'everything');
  expect(commands.filter((line) => line.includes(' apt-get -q update'))).toHaveLength(1);
  expect(
    commands.filter((line) => line.includes(' install -y --no-install-recommends libtorch-dev ')),
  ).toHaveLength(1);
});

it('where a package is missing after a failed update, both say why', async () => {
  const others = all.filter((name) => name !== 'cmake');
  pretend({ installed: [], archive: others, root: true, lists: false, broken });
  await expect(debianPackages(progress, 'everything')).rejects.toMatchObject({
    message: 'apt could not install the packages',
    remedy: expect.stringContaining('sources.list.d'),
    output: expect.stringMatching(/does not have a Release file[^]*Unable to locate package cmake/),
  });
});
