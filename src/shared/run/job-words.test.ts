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

it('says on which nodes a job runs and when one is expected to start, and escapes what a cluster says', () => {
  expect(wordsOf(undefined, { state: 'RUNNING', waits: false, nodes: 'node[1-3]' })[0]).toBe(
    'Job 12 on node[1-3]',
  );
  expect(wordsOf('Priority', { expectedStart: 1_795_620_961 })[0]).toContain('1795620961');
  expect(wordsOf('\u001b[31mred\nline')[0]).not.toMatch(/[\u001b\n]/);
});
