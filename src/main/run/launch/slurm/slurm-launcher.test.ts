import { describe, expect, it } from 'vitest';
import { newSlurmTarget, type SlurmTarget } from '../../../../shared/lab/where.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import type { LaunchOrder } from '../../record/launcher.ts';
import { createSlurmController, queryEvery } from './controller.ts';
import { createSlurmLauncher } from './slurm-launcher.ts';
import { noLeftJobs } from './testing/no-left-jobs.ts';
import { clusterLab } from '../testing/cluster-lab.ts';

/** A login node that says how the job of two ranks and a monitor stands. */
function bench(change: Partial<SlurmTarget> = { requeue: true }) {
  const slurm: SlurmTarget = { ...newSlurmTarget(), ...change };
  const clock = createSkippingClock();
  const removed: string[] = [];
  let state = 'RUNNING';
  let isPreempted = false;
  let exits: readonly (number | undefined)[] = [];
  const orders = ['rank-0', 'rank-1', 'monitor'].map((label): LaunchOrder => {
    return { nodeId: label, label, directory: `/home/u/runs/r/${label}`, argv: [], env: {}, attempt: 1 };
  });
  const answer = (script: string): string => {
    if (script.includes('squeue')) return `7|${state}|None|N/A|node1\n`;
    if (script.includes('&& rm -f rank-*/secret')) removed.push(script);
    if (!script.startsWith("printf 'job")) return '';
    const folders = orders
      .map((_, index) => exits[index])
      .map((code) =>
        code === undefined ? 'folder' : `folder\nexit {"code":${code},"signal":null,"t":1,"attempt":1}`,
      );
    return `job 7\n${isPreempted ? 'preempted\n' : ''}${folders.join('\n')}\n`;
  };
  // Of a session the launcher executes commands alone.
  const session = {
    exec: (script: string): Promise<ExecResult> =>
      Promise.resolve({ code: 0, signal: null, stdout: answer(script), stderr: '' }),
  } as SshSession;
  const launcher = createSlurmLauncher({
    ...{ lab: clusterLab(slurm), slurm, clock, controller: createSlurmController(clock), left: noLeftJobs },
    ...{ session: () => Promise.resolve(session), bootIdFile: '/proc/boot', timeout: 1000 },
  });
  return {
    removed,
    launcher,
    after: clock.skip,
    /** The job's script has found out that it was. */
    preempted: () => (isPreempted = true),
    look: async (job: string, codes: readonly (number | undefined)[]) => {
      state = job;
      exits = codes;
      clock.skip(queryEvery);
      return (await launcher.look(orders)).map((sight) => sight.state);
    },
  };
}

describe('the secrets of a job that Slurm may start again', () => {
  it('stay while its ranks may start again, and go with the end of the run', async () => {
    const { look, removed } = bench();
    expect(await look('RUNNING', [])).toEqual(['alive', 'alive', 'alive']);
    expect(await look('COMPLETING', [7, 7, 0])).toEqual(['alive', 'alive', 'exited']);
    expect(await look('PENDING', [7, 7, 0])).toEqual(['alive', 'alive', 'exited']);
    expect(removed).toEqual([]);
    expect(await look('COMPLETED', [7, 7, 0])).toEqual(['exited', 'exited', 'exited']);
    expect(removed).toHaveLength(1);
  });
  it('go where the job of ranks that were stopped does not end', async () => {
    const { look, removed } = bench();
    const ends = async (): Promise<string[]> => {
      const states = await look('COMPLETING', [7, 7, 0]);
      return states.includes('alive') ? await ends() : states;
    };
    expect(await ends()).toEqual(['exited', 'exited', 'exited']);
    expect(removed).toHaveLength(1);
  });
  it('go with the ranks, though the monitor’s end is not explained yet', async () => {
    const { look, removed } = bench();
    expect(await look('RUNNING', [])).toEqual(['alive', 'alive', 'alive']);
    // After this look the run has ended, and there is no other.
    expect(await look('COMPLETED', [0, 0, undefined])).toEqual(['exited', 'exited', 'alive']);
    expect(removed).toHaveLength(1);
  });
  it.each(['CANCELLED', 'NODE_FAIL', 'TIMEOUT'])(
    'go with a job that never reached its script’s end: %s',
    async (state) => {
      const { look, removed, after } = bench({});
      await look(state, []);
      after(30_000);
      expect(await look(state, [])).toEqual(['revoked', 'revoked', 'revoked']);
      expect(removed).toHaveLength(1);
    },
  );
  it('go where Slurm does not take the job', async () => {
    const { launcher, removed } = bench({});
    const order = {
      nodeId: 'a',
      label: 'rank-0',
      directory: '/home/u/runs/r/rank-0',
      argv: [],
      env: {},
      attempt: 1,
    };
    const listener = { started: () => Promise.resolve(), without: () => undefined };
    // The stand-in's sbatch prints no number.
    await expect(launcher.startAll([{ ranks: [order], beside: [] }], listener)).rejects.toMatchObject({
      code: 'command_failed',
    });
    expect(removed).toHaveLength(1);
  });
});

describe('a job that is not requeued, and whose ranks ended within the grace time of its preemption', () => {
  it('was taken away, though Slurm knows an exit code only', async () => {
    const { look, preempted } = bench({});
    await look('RUNNING', []);
    preempted();
    expect((await look('FAILED', [7, 7, 0])).slice(0, 2)).toEqual(['revoked', 'revoked']);
    const stopped = bench({});
    await stopped.look('RUNNING', []);
    expect((await stopped.look('FAILED', [7, 7, 0])).slice(0, 2)).toEqual(['exited', 'exited']);
  });
});

describe('a requeued job that starts again', () => {
  it.each([
    ['the time limit', [7, 7, 0], {}],
    ['a failed node', [4, undefined, 0], {}],
    ['the time limit, with copied files', [7, 7, 0], { nodeLocal: true, folder: '/scratch/u' }],
  ] as const)('is not ended by how its ranks ended before %s', async (_, codes, change) => {
    const { look, removed, after } = bench({ requeue: true, ...change });
    expect(await look('RUNNING', [])).toEqual(['alive', 'alive', 'alive']);
    await look('COMPLETING', codes);
    await look('PENDING', codes);
    after(40 * 60_000);
    await look('PENDING', codes);
    // Its script has not removed the files yet.
    expect((await look('RUNNING', codes)).slice(0, 2)).toEqual(['alive', 'alive']);
    expect(removed).toEqual([]);
    expect((await look('RUNNING', [undefined, undefined, undefined])).slice(0, 2)).toEqual([
      'alive',
      'alive',
    ]);
  });
});
