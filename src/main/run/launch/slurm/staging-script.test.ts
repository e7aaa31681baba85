/** The shell text by which files come back from compute nodes, run by a real shell; and what is copied to them. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendTask } from './staging-node.ts';
import { stagingOf } from './staging-orders.ts';
import { stagingScript } from './staging-script.ts';

let folder: string;
/** The run's folder on the login node, and on a compute node. */
let login: string;
let node: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-staging-'));
  [login, node] = [join(folder, 'login'), join(folder, 'node')];
  await mkdir(join(login, 'rank-0'), { recursive: true });
  await mkdir(join(node, 'rank-0'), { recursive: true });
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const script = (): string =>
  stagingScript({
    folder,
    runFolder: login,
    attempt: 1,
    nodeFolders: [['rank-0']],
    work: undefined,
    payload: [],
  });
/** The functions of the script, and then a command, as the text of a shell in the run's folder on the login node. */
const withFunctions = (command: string): string => {
  const text = script();
  return `cd '${login}' && real=$(pwd -P)\n${text.slice(text.indexOf('size() {'), text.indexOf('# Follows one node'))}\n${command}`;
};
/** The exit code of taking these frames of a node that may write `rank-0`. */
const take = (frames: string): number | null =>
  spawnSync('/bin/sh', ['-c', withFunctions("take 'rank-0 slurm-7.out'")], { input: frames }).status;
const end = 'end 0 0 .\n';

describe('frames of a compute node', () => {
  it('are written below its own folders', async () => {
    await writeFile(join(login, 'rank-0', 'log.txt'), 'one\n');
    expect(take(`append 4 4 rank-0/log.txt\ntwo\nwhole 0 3 rank-0/of one/a b.bin\n\0\n\0${end}`)).toBe(0);
    expect(await readFile(join(login, 'rank-0', 'log.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await readFile(join(login, 'rank-0', 'of one', 'a b.bin'), 'utf8')).toBe('\0\n\0');
  });
  it.each([
    ['another rank’s folder', 'whole 0 2 rank-1/log.txt\nx\n'],
    ['the run’s own files', 'whole 0 2 job-1\n9\n'],
    ['a script of the run', 'whole 0 2 stage-1.sh\nx\n'],
    ['a folder above', 'whole 0 2 rank-0/../../x\nx\n'],
    ['an absolute path', 'whole 0 2 /tmp/x\nx\n'],
    ['two names that are one', 'whole 0 2 rank-0 slurm-7.out/x\nx\n'],
    ['no length', 'whole 0 -5 rank-0/x\nx\n'],
    ['a huge length', 'whole 0 99999999999999 rank-0/x\nx\n'],
    ['another place of a file that grows', 'append 7 2 rank-0/log.txt\nx\n'],
    ['what is no frame', 'Welcome to node1!\n'],
    ['less than it says', 'whole 0 50 rank-0/x\nx\n'],
  ])('are refused where they name %s', async (_, frames) => {
    expect(take(`${frames}${end}`)).not.toBe(0);
    expect(await readdir(login)).toEqual(['rank-0']);
    expect((await readdir(join(login, 'rank-0'))).filter((name) => !name.endsWith('.part'))).toEqual([]);
  });
  it('leave what starts ranks, and secrets, as they are', async () => {
    expect(take(`whole 0 2 rank-0/launch.sh\nx\nwhole 0 2 rank-0/secret-1\nx\n${end}`)).toBe(0);
    expect(await readdir(join(login, 'rank-0'))).toEqual([]);
  });
  it('do not follow a link out of the run’s folder', async () => {
    const outside = join(folder, 'outside');
    await mkdir(outside);
    await symlink(outside, join(login, 'rank-0', 'link'));
    expect(take(`whole 0 2 rank-0/link/x\nx\n${end}`)).not.toBe(0);
    await writeFile(join(outside, 'log.txt'), '');
    await symlink(join(outside, 'log.txt'), join(login, 'rank-0', 'log.txt'));
    expect(take(`append 0 2 rank-0/log.txt\nx\n${end}`)).not.toBe(0);
    expect(await readdir(outside)).toEqual(['log.txt']);
    expect(await readFile(join(outside, 'log.txt'), 'utf8')).toBe('');
  });
});

it('what ranks write arrives: lines that grow, whole files, odd names, and last how they ended', async () => {
  await writeFile(join(node, 'rank-0', 'metrics.jsonl'), 'a line that the login node has\n');
  await writeFile(join(login, 'rank-0', 'metrics.jsonl'), 'a line that the login node has\n');
  await writeFile(join(node, '.staged-7-0'), '');
  // Files are newer than the mark by more than a kernel's tick.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const sending = spawn(
    '/bin/sh',
    ['-c', sendTask, 'sh', node, '7-0', 'rank-0', '', '31 rank-0/metrics.jsonl'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const frames: Buffer[] = [];
  sending.stdout.on('data', (bytes: Buffer) => frames.push(bytes));
  await appendFile(join(node, 'rank-0', 'metrics.jsonl'), 'second\n');
  await writeFile(join(node, 'rank-0', 'a name.bin'), Buffer.from([0, 10, 255, 10]));
  await expect.poll(() => Buffer.concat(frames).toString()).toContain('second');
  await appendFile(join(node, 'rank-0', 'metrics.jsonl'), 'third');
  await writeFile(join(node, 'rank-0', 'exit.json'), '{"code":0}\n');
  await writeFile(join(node, 'rank-0', 'checkpoint.pth.tar'), 'weights');
  await writeFile(join(node, '.ended-7-0'), '');
  expect(await once(sending, 'close')).toEqual([0, null]);
  const sent = Buffer.concat(frames);
  const headers = [...sent.toString('latin1').matchAll(/^(?:append|whole|end) .*$/gm)].map(([line]) => line);
  expect(headers.at(-1)).toBe('end 0 0 .');
  expect(headers.at(-2)).toBe('whole 0 11 rank-0/exit.json');
  const taken = spawnSync('/bin/sh', ['-c', withFunctions('take rank-0')], { input: sent });
  expect(taken.status).toBe(0);
  for (const name of ['metrics.jsonl', 'a name.bin', 'exit.json', 'checkpoint.pth.tar'])
    expect(await readFile(join(login, 'rank-0', name))).toEqual(await readFile(join(node, 'rank-0', name)));
});

it('what the commands name is copied, and the Pythons of wheels', () => {
  const run = '/scratch/me/.ringlab/runs/r';
  const order = {
    ...{ nodeId: 'a', label: 'rank-0', directory: `${run}/rank-0`, attempt: 1 },
    workingDirectory: `${run}/code`,
    argv: ['/scratch/me/.ringlab/wheels/abc/bin/python', `--data=/scratch/me/.ringlab/data/set/x`, '/etc/x'],
    env: {
      LD_LIBRARY_PATH: '/usr/lib:/scratch/me/.ringlab/environments/e/lib:/scratch/me/.ringlab/runs/q/x',
    },
  };
  expect(stagingOf('/scratch/me', run, 1, [{ ranks: [order], beside: [] }])).toEqual({
    ...{ folder: '/scratch/me', runFolder: run, attempt: 1, work: 'code' },
    nodeFolders: [['rank-0']],
    payload: ['data/set', 'environments/e', 'wheels/abc', 'wheels/python'],
  });
});

it('the scripts are a shell’s', () => {
  for (const shell of ['dash', 'bash'])
    expect(spawnSync(shell, ['-n'], { input: script() })).toMatchObject({ status: 0 });
});
