import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { SshAccess } from '../../../../shared/lab/access.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult } from '../../../ssh/index.ts';
import { createSlurmController, createSlurmControllers, queryEvery } from './controller.ts';

const squeue = (...lines: string[]): string => `${lines.join('\n')}\n`;

/** A login node whose commands are answered in turn by the test. */
function bench() {
  let answer: Partial<ExecResult> | Error = {};
  const asked: string[] = [];
  const clock = createSkippingClock();
  const session = {
    exec: (script: string): Promise<ExecResult> => {
      asked.push(script);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', ...answer });
    },
  };
  const controller = createSlurmController(clock);
  return {
    asked,
    answers: (next: Partial<ExecResult> | Error) => (answer = next),
    after: clock.skip,
    ticks: clock.ticks,
    controller,
    job: (id: string) => controller.job(id, session),
  };
}

describe('the controllers of clusters', () => {
  const behind = (jump: string | undefined, method: 'agent' | 'password' = 'agent'): SshAccess => {
    const hop = { port: 22, user: 'me', authentication: { method } };
    const login: SshAccess = { ...hop, type: 'ssh', host: '10.0.0.5' };
    return jump === undefined ? login : { ...login, jump: { ...hop, host: jump } };
  };
  it('are one for each login node, which two private addresses behind different jump hosts are not', () => {
    const controllers = createSlurmControllers(createSkippingClock());
    const alpha = controllers(behind('alpha.edu'));
    expect(controllers(behind('alpha.edu', 'password'))).toBe(alpha);
    const others = [behind('beta.edu'), behind(undefined), { ...behind('alpha.edu'), user: 'you' }];
    for (const other of others) expect(controllers(other)).not.toBe(alpha);
  });
});

describe('the controller of a cluster', () => {
  it('is asked at most every five seconds, for all runs together', async () => {
    const { job, asked, answers, after } = bench();
    answers({ stdout: squeue('7|PENDING|Resources|1795620961|', '8|RUNNING|None|1795620900|node[1-3]') });
    expect(await job('7')).toMatchObject({
      job: { state: 'PENDING', reason: 'Resources', start: 1_795_620_961 },
    });
    expect((await job('7')).job).toMatchObject({ state: 'PENDING' });
    for (let second = 0; second < 4; second += 1) {
      await Promise.all([job('7'), job('8')]);
      after(1000);
    }
    expect(asked).toHaveLength(1);
    after(queryEvery);
    expect((await job('8')).job).toMatchObject({ state: 'RUNNING', reason: '', nodes: 'node[1-3]' });
    expect(asked).toHaveLength(2);
  });
  it('is asked less often while it does not answer, and what is known stays', async () => {
    const { job, asked, answers, after } = bench();
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1') });
    await job('7');
    answers({ code: 1, stderr: 'slurm_load_jobs error: Unable to contact slurm controller' });
    for (let second = 0; second < 300; second += 1) {
      after(1000);
      expect((await job('7')).job).toMatchObject({ state: 'RUNNING' });
    }
    expect(asked.length).toBeLessThan(10);
    expect((await job('7')).silent).toBe(true);
    answers({ stdout: squeue('7|COMPLETED|None|N/A|node1') });
    after(60_000);
    expect(await job('7')).toMatchObject({ job: { state: 'COMPLETED' }, silent: false });
  });
  it('that hangs is asked less often, too: the login node itself can be reached', async () => {
    const { job, asked, answers, after } = bench();
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1') });
    await job('7');
    answers(new RinglabError('command_timeout', { seconds: 20, command: 'squeue' }));
    for (let second = 0; second < 300; second += 1) {
      after(1000);
      expect((await job('7')).job).toMatchObject({ state: 'RUNNING' });
    }
    expect(asked.length).toBeLessThan(10);
    expect((await job('7')).silent).toBe(true);
    answers(new RinglabError('connection_lost', {}));
    after(60_000);
    await expect(job('7')).rejects.toMatchObject({ code: 'connection_lost' });
  });
  it('a job that left the queue is looked up in the accounting, and is gone where that has none', async () => {
    const { job, asked, answers, after } = bench();
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1', '8|RUNNING|None|N/A|node1') });
    await job('7');
    answers({ stdout: '' });
    after(queryEvery);
    expect((await job('7')).job).toMatchObject({ state: 'RUNNING' });
    answers({ stdout: squeue('7|TIMEOUT|TimeLimit|2026-11-25T10:00:00|node1') });
    after(queryEvery);
    expect((await job('7')).job).toMatchObject({ state: 'TIMEOUT' });
    expect(asked.at(-1)).toMatch(/sacct .*--jobs=7 /);
    answers({ stdout: '' });
    for (let turn = 0; turn < 5; turn += 1) {
      after(queryEvery);
      await job('8');
    }
    expect((await job('8')).job).toBe('gone');
    expect((await job('7')).job).toMatchObject({ state: 'TIMEOUT' });
  });
  it('a job that one or two answers of the queue lack is not gone, whatever the accounting says', async () => {
    const { job, asked, answers, after } = bench();
    const running = { stdout: squeue('7|RUNNING|None|N/A|node1') };
    const states: unknown[] = [];
    const turn = async (answer: Partial<ExecResult>): Promise<void> => {
      after(60_000);
      answers(answer);
      states.push((await job('7')).job);
    };
    await turn(running);
    // The accounting is off, fails, or is behind.
    for (const accounting of [{}, { code: 1 }, { stdout: squeue('7|PENDING|None|N/A|') }])
      for (const answer of [{}, accounting, {}, accounting, running]) await turn(answer);
    for (const state of states) expect(state).toMatchObject({ state: 'RUNNING' });
    expect(asked.filter((script) => script.includes('sacct'))).toHaveLength(6);
  });
  it('knows nothing new where JSON names errors, and asks for lines then', async () => {
    const { job, asked, answers, after } = bench();
    answers({ stdout: '{"jobs":[],"errors":[{"description":"Unable to query jobs"}],"warnings":[]}' });
    await job('7');
    answers({ code: 1, stderr: 'slurm_load_jobs error: Unable to contact slurm controller' });
    for (let turn = 0; turn < 9; turn += 1) {
      after(60_000);
      expect((await job('7')).job).toBeUndefined();
    }
    expect(asked.at(-1)).not.toContain('--json');
  });
  it('is asked five seconds after a job was submitted or signalled, not at once', async () => {
    const { job, asked, answers, after, controller } = bench();
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1') });
    controller.submitted('7');
    expect((await job('7')).job).toBeUndefined();
    after(queryEvery - 1);
    await job('7');
    expect(asked).toHaveLength(0);
    after(1);
    expect((await job('7')).job).toMatchObject({ state: 'RUNNING' });
    after(queryEvery - 1000);
    controller.commanded();
    after(2000);
    await job('7');
    expect(asked).toHaveLength(1);
    after(queryEvery);
    await job('7');
    expect(asked).toHaveLength(2);
  });
  it('is asked about a job that is signalled again and again', async () => {
    const { job, asked, answers, after, controller } = bench();
    answers({ stdout: squeue('7|CANCELLED|None|N/A|') });
    for (let second = 0; second < 12; second += 4) {
      controller.commanded();
      after(4000);
      await job('7');
    }
    expect(asked).toHaveLength(1);
    expect((await job('7')).job).toMatchObject({ state: 'CANCELLED' });
  });
  it('answers another query in its turn, which comes before those about jobs', async () => {
    const { job, asked, answers, controller, ticks } = bench();
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1') });
    await job('7');
    const before = ticks();
    expect(await controller.query(() => Promise.resolve('facts'))).toBe('facts');
    expect(ticks() - before).toBe(queryEvery);
    await job('7');
    expect(asked).toHaveLength(1);
  });
  it('is asked for lines where JSON is not to be had, or longer than is read', async () => {
    const { job, asked, answers, after } = bench();
    answers({ code: 1, stderr: 'squeue: error: Unable to find plugin: serializer/json' });
    expect(await job('7')).toMatchObject({ job: undefined, silent: false });
    answers({ stdout: squeue('7|RUNNING|None|N/A|node1') });
    after(queryEvery);
    expect((await job('7')).job).toMatchObject({ state: 'RUNNING' });
    expect(asked.map((script) => script.includes('--json'))).toEqual([true, false]);

    const broken = bench();
    broken.answers({ stdout: '{"jobs": [{"job_id": 7,' });
    await broken.job('7');
    broken.after(queryEvery);
    await broken.job('7');
    expect(broken.asked.map((script) => script.includes('--json'))).toEqual([true, false]);
  });
  it('knows a job whose user has so many that the answer’s beginning is not kept', async () => {
    /** As a session keeps it. */
    const kept = (whole: string): string => whole.slice(-4 * 1024 * 1024);
    const job = (id: number): object => ({ job_id: id, job_state: ['RUNNING'], comment: 'x'.repeat(15_000) });
    const jobs = Array.from({ length: 600 }, (_, index) => job(index + 1));
    const long = bench();
    long.answers({ stdout: kept(JSON.stringify({ jobs }, null, 1)) });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await long.job('7')).job).toBeUndefined();
      long.after(queryEvery);
    }
    expect(long.asked.map((script) => script.includes('--json'))).toEqual([true, false, false]);
    const lines = Array.from(
      { length: 120_000 },
      (_, index) => `${index + 1}|RUNNING|None|N/A|node[1-30],gpu[1-30]`,
    );
    long.answers({ stdout: kept(squeue(...lines)) });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await long.job('120000')).job).toMatchObject({ state: 'RUNNING' });
      // One that is not shown need not be gone.
      expect((await long.job('7')).job).toBeUndefined();
      long.after(queryEvery);
    }
  });
});
