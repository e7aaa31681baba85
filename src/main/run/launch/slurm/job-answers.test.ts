import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programsOnly } from '../../../ssh/testing/local-shell.ts';
import { accountingCommand, parseJobs, queueCommand } from './job-answers.ts';

const job = (text: string, id = '7') => parseJobs(text)?.get(id);

describe('what squeue and sacct print', () => {
  it('is read line by line; what is no job is left out', () => {
    const lines = [
      '7|CANCELLED by 1000|None|N/A|',
      'slurm: banner',
      '0|RUNNING|||',
      '-3|X|||',
      `9|${'A'.repeat(90)}|r||`,
      '',
    ];
    const jobs = parseJobs(lines.join('\n'));
    expect([...(jobs?.keys() ?? [])]).toEqual(['7', '9']);
    expect(jobs?.get('7')).toMatchObject({ state: 'CANCELLED', reason: '', nodes: '' });
    expect(jobs?.get('9')?.state).toHaveLength(40);
  });
  it('is read as JSON of versions to 22.05', () => {
    const answer = {
      meta: { Slurm: { release: '22.05.8' } },
      jobs: [
        { job_id: 7, job_state: 'PENDING', state_reason: 'Resources', start_time: 1_795_620_961, nodes: '' },
        {
          job_id: 8,
          job_state: 'RUNNING',
          state_reason: 'None',
          start_time: 1_795_620_900,
          nodes: 'node[1-3]',
        },
        { job_id: 9, job_state: 'PENDING', state_reason: 'Priority', start_time: 0, nodes: '' },
      ],
    };
    const text = JSON.stringify(answer);
    expect(job(text)).toEqual({
      id: '7',
      state: 'PENDING',
      reason: 'Resources',
      start: 1_795_620_961,
      nodes: '',
    });
    expect(job(text, '8')).toMatchObject({ state: 'RUNNING', reason: '', nodes: 'node[1-3]' });
    expect(job(text, '9')?.start).toBeUndefined();
  });
  it('is read as JSON of newer versions, whose numbers are objects and whose states are lists', () => {
    const time = (number: number, set = true) => ({ set, infinite: false, number });
    const answer = {
      jobs: [
        {
          job_id: 7,
          job_state: ['RUNNING', 'COMPLETING'],
          state_reason: 'None',
          start_time: time(1_795_620_900),
          nodes: 'node1',
        },
        {
          job_id: 8,
          job_state: ['PENDING'],
          state_reason: 'JobHeldUser',
          start_time: time(0, false),
          nodes: '',
        },
        { job_id: 9, job_state: ['TIMEOUT'], state_reason: 'TimeLimit', nodes: 'node1' },
      ],
    };
    const text = JSON.stringify(answer);
    expect(job(text)).toMatchObject({ state: 'COMPLETING', start: 1_795_620_900 });
    expect(job(text, '8')).toMatchObject({ state: 'PENDING', reason: 'JobHeldUser', start: undefined });
    expect(job(text, '9')).toMatchObject({ state: 'TIMEOUT', reason: 'TimeLimit' });
  });
  it('is read as JSON of the accounting', () => {
    const answer = {
      jobs: [
        {
          job_id: 7,
          state: { current: ['NODE_FAIL'], reason: 'None' },
          time: { start: 1_795_620_900 },
          nodes: 'node2',
        },
        { job_id: 8, state: { current: 'PREEMPTED', reason: 'None' }, time: {}, nodes: 'None assigned' },
      ],
    };
    const text = JSON.stringify(answer);
    expect(job(text)).toMatchObject({ state: 'NODE_FAIL', reason: '', start: 1_795_620_900, nodes: 'node2' });
    expect(job(text, '8')).toMatchObject({ state: 'PREEMPTED', nodes: '' });
  });
  it('is read between the notices of a site’s own program', () => {
    const text = JSON.stringify({ jobs: [{ job_id: 7, job_state: ['RUNNING'] }] }, null, 1);
    expect(job(`*** Maintenance on Monday ***\n${text}\nask help@hpc.test\n`)).toMatchObject({
      state: 'RUNNING',
    });
    expect(job('*** Maintenance ***\n7|RUNNING|None|N/A|node1\n')).toMatchObject({ state: 'RUNNING' });
  });
  it('is no answer where it names errors', () => {
    expect(parseJobs('{"jobs": [], "errors": [{"description": "Unable to query jobs"}]}')).toBeUndefined();
    expect(parseJobs('{"jobs": [], "errors": [], "warnings": []}')?.size).toBe(0);
  });
  it('is nothing where JSON is cut short, and leaves out what is no job', () => {
    expect(parseJobs('{"jobs": [{"job_id": 7, "job_st')).toBeUndefined();
    expect(parseJobs('{"errors": []}')).toBeUndefined();
    const odd = [
      { job_id: -1, job_state: 'RUNNING' },
      { job_id: 7 },
      'x',
      { job_id: 8, job_state: '<b>', state_reason: '', nodes: '' },
    ];
    expect(parseJobs(JSON.stringify({ jobs: odd }))?.size).toBe(0);
  });
});

describe('what is asked', () => {
  const said = (version: string, script: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-answers-'));
    const program = `#!/bin/sh\ncase $1 in --version) echo '${version}' ;; *) echo "$0 $*" ;; esac\n`;
    programsOnly(folder, { squeue: program, sacct: program });
    try {
      return execFileSync('/bin/sh', ['-c', script], {
        env: { PATH: `${folder}:/usr/bin:/bin` },
        encoding: 'utf8',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  it.each(['slurm 20.11.9', 'slurm-wlm 22.05.8', 'slurm 21.08.5'])(
    'is lines before 23.02, whose JSON would have every user’s jobs: %s',
    (version) => {
      expect(said(version, queueCommand('json'))).not.toContain('--json');
      expect(said(version, accountingCommand(['7'], 'json'))).toContain('--parsable2');
    },
  );
  it.each(['slurm 23.02.0', 'slurm-wlm 24.05.2', 'slurm 30.01'])(
    'is JSON of the user’s jobs since: %s',
    (version) => {
      expect(said(version, queueCommand('json'))).toMatch(/--json --all --user=\S+ --states=all/);
      expect(said(version, accountingCommand(['7', '8'], 'json'))).toMatch(/--json --allocations --jobs=7,8/);
      expect(said(version, queueCommand('lines'))).not.toContain('--json');
    },
  );
});
