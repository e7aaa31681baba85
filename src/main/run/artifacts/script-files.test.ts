/** What counts as written by a script in the run's copy of its code. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { WrittenList } from '../../../shared/run/written-file.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { codeCopy, copiedMark } from '../../base/node-layout.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { readFolder } from '../../transfer/index.ts';
import { copyScript } from '../launch/script-launch.ts';
import type { RunServices } from '../record/services.ts';
import { fetchWritten, writtenFiles } from './script-files.ts';

let home: string;
let copy: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'script-files-'));
  copy = codeCopy(home, 'r1');
  const sent = join(home, 'sent');
  await mkdir(join(sent, 'a b'), { recursive: true });
  await writeFile(join(sent, 'best.pt'), 'old-old-old-');
  await writeFile(join(sent, 'a b', 'same.txt'), 'same');
  await writeFile(join(sent, 'train.py'), 'x');
  await writeFile(join(sent, 'prepare.sh'), 'x', { mode: 0o555 });
  execFileSync('sh', ['-c', copyScript(sent, copy, 'n0')]);
});
afterEach(() => rm(home, { recursive: true, force: true }));

interface Nodes {
  /** Their homes, each with one rank: of all one, where nothing else is said. */
  readonly homes?: readonly string[];
  /** Its nodes do not answer. */
  readonly away?: readonly string[];
  readonly change?: (script: string) => string;
}
async function list({
  homes = [home],
  away = [],
  change = (script) => script,
}: Nodes = {}): Promise<WrittenList> {
  const manifest = await readFolder(join(home, 'sent'), { parts: await readdir(join(home, 'sent')) });
  const code = { hash: 'h', files: 4, bytes: 1 };
  const ranks = homes.map((own, rank) => ({
    ...{ rank, nodeId: `n${rank}`, nodeName: `node ${rank}` },
    directory: join(own, `.ringlab/runs/r1/rank-${rank}`),
  }));
  await Promise.all(ranks.map(({ directory }) => mkdir(directory, { recursive: true })));
  const shell = createLocalShell({ home });
  const session = { ...shell, exec: (script: string, how: object) => shell.exec(change(script), how) };
  // As much of a record and of the services as is read.
  const run = { id: 'r1', name: 'r', lab: {}, code, ranks } as unknown as RunRecord;
  const services = {
    reach: {
      session: (_lab: unknown, nodeId: string) =>
        away.includes(nodeId)
          ? Promise.reject(new RinglabError('host_unreachable', { host: nodeId }))
          : Promise.resolve(session),
    },
    code: { kept: () => Promise.resolve({ manifest, code }) },
  } as unknown as Pick<RunServices, 'reach' | 'code'>;
  return writtenFiles(services, run);
}
const written = async (): Promise<string[]> => (await list()).files.map(({ path }) => path);

it('a new file, and one that was sent and has other content of the same size', async () => {
  expect(await written()).toEqual([]);
  await writeFile(join(copy, 'best.pt'), 'NEW-NEW-NEW-');
  await writeFile(join(copy, 'a b', 'same.txt'), 'same');
  await writeFile(join(copy, 'log.csv'), 'log');
  execFileSync('sh', ['-c', 'echo y >>prepare.sh && [ -x prepare.sh ]'], { cwd: copy });
  expect(await written()).toEqual(['best.pt', 'log.csv', 'prepare.sh']);
});

it('another file that was copied over one of its size, with its old time', async () => {
  await writeFile(join(copy, 'old-best.pt'), 'NEW-NEW-NEW-');
  const script = 'touch -d 2001-01-01 old-best.pt && cp -p old-best.pt best.pt && rm old-best.pt';
  execFileSync('sh', ['-c', script], { cwd: copy });
  expect(await written()).toEqual(['best.pt']);
});

it('the same in a copy of a version that left no mark', async () => {
  await rm(join(copy, copiedMark));
  expect(await written()).toEqual([]);
  await writeFile(join(copy, 'best.pt'), 'NEW-NEW-NEW-');
  expect(await written()).toEqual(['best.pt']);
});

it('all of a list above one mebibyte, once where two nodes have one home', async () => {
  // Found before the others.
  await writeFile(join(copy, 'model.pt'), 'new');
  const long = 'x'.repeat(230);
  const below = join(copy, 'images', long, long, long);
  await mkdir(below, { recursive: true });
  const count = 1300;
  const name = (index: number): string => join(below, `${long}-${index}.txt`);
  await Promise.all(Array.from({ length: count }, (_, index) => writeFile(name(index), '')));
  const { files, isWhole } = await list({ homes: [home, home] });
  expect(files.map(({ path }) => path)).toContain('model.pt');
  expect(files).toHaveLength(count + 1);
  expect(isWhole).toBe(true);
});

it('of a list that is cut the newest, without half a name, and it is known to be cut', async () => {
  await mkdir(join(copy, 'later'));
  for (let index = 10; index < 40; index += 1) await writeFile(join(copy, 'later', `${index}.txt`), '');
  const { files, isWhole } = await list({ change: (script) => script.replace(/head -c \d+/, 'head -c 500') });
  expect(isWhole).toBe(false);
  expect(files.length).toBeGreaterThan(5);
  for (const { path } of files) expect(path).toMatch(/^later\/\d\d\.txt$/);
});

it.each([['the first'], ['the second']])(
  'of the nodes that answer, where %s does not, and names that one',
  async (which) => {
    await writeFile(join(copy, 'log.csv'), 'log');
    const other = join(home, 'other');
    const [homes, lost] = which === 'the first' ? [[other, home], 0] : [[home, other], 1];
    const { files, isWhole, unreached } = await list({ homes, away: [`n${lost}`] });
    expect(files).toMatchObject([{ rank: 1 - lost, path: 'log.csv' }]);
    expect(isWhole).toBe(true);
    expect(unreached).toMatchObject([{ code: 'host_unreachable', where: `node ${lost}` }]);
  },
);

it('of a node that does not answer, where another has the same home', async () => {
  await writeFile(join(copy, 'log.csv'), 'log');
  const { files, unreached } = await list({ homes: [home, home], away: ['n0'] });
  expect(files).toMatchObject([{ rank: 1, path: 'log.csv' }]);
  expect(unreached).toEqual([]);
});

it('fails where no node answers', async () => {
  await expect(list({ homes: [home, join(home, 'other')], away: ['n0', 'n1'] })).rejects.toMatchObject({
    code: 'host_unreachable',
    where: 'node 0',
  });
});

describe('one of them is fetched', () => {
  const fetching = (path: string): ReturnType<typeof fetchWritten> => {
    const directory = join(home, '.ringlab/runs/r1/rank-0');
    // As much of a record and of the services as is read.
    const run = { id: 'r1', name: 'r', lab: {}, ranks: [{ rank: 0, directory }] } as unknown as RunRecord;
    const services = {
      reach: { session: () => Promise.resolve(createLocalShell({ home })) },
      store: { runFolder: () => join(home, 'app') },
    } as unknown as Pick<RunServices, 'reach' | 'store'>;
    return fetchWritten(services, run, { rank: 0, path });
  };
  beforeEach(() => mkdir(join(home, '.ringlab/runs/r1/rank-0'), { recursive: true }));

  it('also over a link within the run’s folder', async () => {
    await writeFile(join(copy, "it's best.pt"), 'weights');
    await symlink("it's best.pt", join(copy, 'last.pt'));
    for (const name of ["it's best.pt", 'last.pt']) {
      const file = await fetching(name);
      expect(file).toMatchObject({ name, bytes: 7 });
      expect(await readFile(file.path, 'utf8')).toBe('weights');
    }
  });

  it('but no file outside of the run’s folder', async () => {
    const secret = join(home, 'secret.txt');
    await writeFile(secret, 'secret');
    await symlink(secret, join(copy, 'link.txt'));
    await symlink(home, join(copy, 'up'));
    // Its second line is the secret's path.
    const split = join(copy, `x\n${dirname(secret)}`);
    await mkdir(split, { recursive: true });
    await writeFile(join(split, 'secret.txt'), 'x');
    await symlink(join(split, 'secret.txt'), join(copy, 'lines.txt'));
    for (const path of ['link.txt', 'up/secret.txt', 'lines.txt', 'none.txt'])
      await expect(fetching(path)).rejects.toMatchObject({ code: 'nothing_to_export' });
  });
});
