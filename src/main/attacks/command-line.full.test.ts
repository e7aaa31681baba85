/**
 * Attack: commands that are killed and started twice, as processes with the real trainer: always one run and one set
 * of ranks.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createCommandBench,
  lastLine,
  patience,
  untilSaid,
  type CommandBench,
} from '../hosts/cli/testing/processes.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';

let bench: CommandBench;
beforeEach(async () => {
  bench = await createCommandBench();
});
afterEach(async () => {
  await bench.close();
});
const labFile = (epochs: number): Promise<string> => bench.labFile('twice', ['a', 'b'], { epochs });

describe.skipIf(!trainerIsBuilt)('ringlab run, started more than once', () => {
  it('finding: killed during a run and started again: the second command follows the same run, with the same ranks', async () => {
    const lab = await labFile(400);
    const first = bench.ringlab('run', lab);
    await bench.trains(2);
    const [run = ''] = await bench.liveRanks();
    first.child.kill('SIGKILL');
    await first.ended;
    const second = bench.ringlab('run', lab);
    await untilSaid(second, `This lab is running already: Lab twice (run ${run}`);
    await untilSaid(second, /epoch \d+: validation/);
    expect(await bench.liveRanks()).toEqual([run, run]);
    const beside = bench.ringlab('runs', '--json');
    expect(await beside.ended).toBe(0);
    expect(lastLine(beside)).toMatchObject([{ id: run, stateKnown: true, name: 'Lab twice' }]);
    const stop = bench.ringlab('stop', 'Lab twice');
    expect(await stop.ended).toBe(0);
    expect(lastLine(stop)).toMatchObject({ run, state: 'stopped' });
    expect(await second.ended).toBe(1);
    expect(lastLine(second)).toMatchObject({ run, state: 'stopped' });
    expect(await bench.liveRanks()).toEqual([]);
  }, 400_000);

  it('started twice at the same moment: one run, which both commands follow to its end', async () => {
    const lab = await labFile(3);
    const both = [bench.ringlab('run', lab, '--out', 'one'), bench.ringlab('run', lab, '--out', 'two')];
    let max = 0;
    const watching = setInterval(
      () => void bench.liveRanks().then(({ length }) => (max = Math.max(max, length))),
      200,
    );
    const codes = await Promise.all(both.map(({ ended }) => ended));
    clearInterval(watching);
    expect(codes, both.map(({ stderr }) => stderr()).join('\n')).toEqual([0, 0]);
    const [one, two] = both.map(lastLine);
    expect(one?.run).toBe(two?.run);
    expect([one, two]).toMatchObject([{ state: 'finished' }, { state: 'finished' }]);
    expect(max).toBeLessThanOrEqual(2);
    for (const out of ['one', 'two'])
      expect(await readdir(join(bench.folder, out))).toContain('checkpoint.pth.tar');
  }, 400_000);

  it('killed while preparing and started again: the old run has ended, and only the new one is active', async () => {
    const lab = await labFile(2);
    const first = bench.ringlab('run', lab);
    await untilSaid(first, /facts: ready/);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = bench.ringlab('run', lab);
    expect(await second.ended, second.stderr()).toBe(0);
    const list = bench.ringlab('runs', '--json');
    await list.ended;
    const runs = lastLine(list) as unknown as { id: string; state: string }[];
    expect(runs.map(({ state }) => state).sort()).toEqual(['finished', 'interrupted']);
    expect(runs.find(({ state }) => state === 'finished')?.id).toBe(lastLine(second).run);
  }, 400_000);

  it('if the open window is killed during a run, the command continues on its own to the end', async () => {
    const window = bench.ringlab('serve', '--no-open');
    await expect.poll(window.stdout, patience).toContain('http://127.0.0.1');
    const run = bench.ringlab('run', await labFile(30));
    // A run that only starts has no step to end: the command says so otherwise.
    await untilSaid(run, /run \S+: running/);
    window.child.kill('SIGKILL');
    await untilSaid(run, /process \d+\) has ended; going on without it/);
    run.child.kill('SIGINT');
    await untilSaid(run, 'stopping after this step');
    expect(await run.ended).toBe(1);
    expect(['stopped', 'finished']).toContain(lastLine(run).state);
    expect(await bench.liveRanks()).toEqual([]);
  }, 400_000);
});
