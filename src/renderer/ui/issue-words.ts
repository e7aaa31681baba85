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
    const issue = issues.find((one) => one.path === path);
    return issue === undefined ? undefined : issueText(issue);
  };
}
