/** Says on standard error which stored runs cannot be opened, and why. */
import type { LabApi } from '../../../shared/contract/api.ts';
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import { language } from './speak.ts';

/** Resolves with how many there are. */
export async function sayRunProblems(api: Pick<LabApi, 'call'>): Promise<number> {
  const problems = await api.call('run.problems', {});
  for (const problem of problems) process.stderr.write(`${errorLines(problem, language).join('\n')}\n`);
  return problems.length;
}
