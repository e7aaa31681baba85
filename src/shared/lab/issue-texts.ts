/** The text of lab issues, and the error that refuses a lab. */
import { RinglabError } from '../base/errors.ts';
import type { Language } from '../base/language.ts';
import { phrase, say } from '../i18n/say.ts';
import type { LabIssue } from './lab-issue.ts';

type Named = Pick<LabIssue, 'code' | 'params'>;

export const describeIssue = ({ code, params }: Named, language: Language): string =>
  say(language, `labIssues.${code}`, params);

/** `lab_has_errors` with this issue, in both languages. */
export const labError = (first: Named, where?: string, count = 1): RinglabError =>
  new RinglabError(
    'lab_has_errors',
    { count, first: phrase(`labIssues.${first.code}`, first.params) },
    { where },
  );

/** The same with the first error; undefined where no issue is an error. */
export function labErrors(issues: readonly LabIssue[], where?: string): RinglabError | undefined {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  return first === undefined ? undefined : labError(first, where, errors.length);
}
