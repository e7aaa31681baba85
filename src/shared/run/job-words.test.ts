import { expect, it } from 'vitest';
import { languages } from '../base/language.ts';
import { jobWords } from './job-words.ts';
import type { RunJob } from './run-job.ts';

const wordsOf = (reason: string | undefined, change: Partial<RunJob> = {}): string[] =>
  languages.map(
    (language) =>
      jobWords({ id: '12', state: 'PENDING', waits: true, reason, ...change }, language, String) ?? '',
  );

/** Bad days: Slurm's word, and what a user does about it in any language. */
it.each([
  ['JobHeldUser', 'scontrol release 12'],
  ['JobHeldAdmin', '(JobHeldAdmin)'],
  ['PartitionDown', '(PartitionDown)'],
  ['PartitionTimeLimit', '(PartitionTimeLimit)'],
  ['BadConstraints', '(BadConstraints)'],
  ['DependencyNeverSatisfied', '(DependencyNeverSatisfied)'],
  ['ReqNodeNotAvail, UnavailableNodes:node2', '(ReqNodeNotAvail)'],
  ['launch failed requeued held', 'scontrol release 12'],
  ['job requeued in held state', 'scontrol release 12'],
  ['job_requeued_in_special_exit_state', 'scontrol release 12'],
  ['user env retrieval failed requeued held', 'scontrol release 12'],
  ['JobHoldMaxRequeue', 'scontrol release 12'],
  ['QOSMaxGRESPerUser', '(QOSMaxGRESPerUser'],
  ['AssocGrpCpuLimit', 'AssocGrpCpuLimit'],
  ['InvalidQOS', 'InvalidQOS'],
  ['AccountNotAllowed', 'AccountNotAllowed'],
  ['SomethingOfAPlugin', 'SomethingOfAPlugin'],
])('a job that waits because of %s says so in both languages, with %s', (reason, said) => {
  const [english = '', chinese = ''] = wordsOf(reason);
  for (const words of [english, chinese])
    expect(words.replaceAll('（', '(').replaceAll('）', ')')).toContain(said);
  expect(chinese).toMatch(/\p{Script=Han}/u);
  expect(chinese).not.toBe(english);
});

it.each([
  [
    'stop it and ask for less',
    [
      'QOSMaxWallDurationPerJobLimit',
      'AssocMaxWallDurationPerJobLimit',
      'QOSMaxGRESPerJob',
      'QOSMaxCpuPerNode',
      'QOSMaxCpuMinutesPerJobLimit',
    ],
  ],
  ['ask for more', ['QOSMinCpuNotSatisfied', 'QOSMinGRES']],
  ['is used up', ['AssocGrpCPUMinutesLimit', 'QOSGrpBillingMinutes', 'AssocGrpWallLimit']],
  [
    'when other jobs end',
    [
      'QOSMaxJobsPerUserLimit',
      'AssocGrpCPURunMinutesLimit',
      'QOSGrpGRES',
      'MaxJobsPerAccount',
      'AssocMaxJobsLimit',
    ],
  ],
] as const)(
  'of a limit of an account or QOS it says whether the end of other jobs helps: %s',
  (words, reasons) => {
    for (const reason of reasons) {
      const [english, chinese] = wordsOf(reason);
      expect(english).toContain(words);
      expect(english).toContain(reason);
      expect(chinese).toContain(reason);
    }
  },
);

it('says that a job is suspended, or was requeued and is held', () => {
  expect(wordsOf(undefined, { state: 'SUSPENDED', waits: false, nodes: 'n1' })[0]).toMatch(/suspended/);
  for (const state of ['REQUEUE_HOLD', 'SPECIAL_EXIT'])
    expect(wordsOf(undefined, { state })[0]).toContain('scontrol release 12');
});

it('says on which nodes a job runs and when one is expected to start, and escapes what a cluster says', () => {
  expect(wordsOf(undefined, { state: 'RUNNING', waits: false, nodes: 'node[1-3]' })[0]).toBe(
    'Job 12 on node[1-3]',
  );
  expect(wordsOf('Priority', { expectedStart: 1_795_620_961 })[0]).toContain('1795620961');
  expect(wordsOf('\u001b[31mred\nline')[0]).not.toMatch(/[\u001b\n]/);
});
