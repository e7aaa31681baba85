/** The texts of the lab's issues, at the fields that they belong to. */
import { useCallback } from 'react';
import { describeIssue } from '../../shared/lab/issue-texts.ts';
import type { LabIssue } from '../../shared/lab/lab-issue.ts';
import { useIssues, useLanguage } from '../state/index.ts';

export function useIssueText(): (issue: LabIssue) => string {
  const language = useLanguage();
  return useCallback((issue) => describeIssue(issue, language), [language]);
}

/** Returns a field's issue text by its path, such as `nodes[1].name`. */
export function useFieldIssue(): (path: string) => string | undefined {
  const issues = useIssues();
  const issueText = useIssueText();
  return (path) => {
    const issue = issueAt(issues, path);
    return issue === undefined ? undefined : issueText(issue);
  };
}

/** Whether a field's issue is a warning: it does not keep a run from starting, and must not look as if it did. */
export function useIsHint(path: string | undefined): boolean {
  return issueAt(useIssues(), path)?.severity === 'warning';
}

/** An error before a warning. */
function issueAt(issues: readonly LabIssue[], path: string | undefined): LabIssue | undefined {
  const here = issues.filter((one) => one.path === path);
  return here.find(({ severity }) => severity === 'error') ?? here[0];
}
