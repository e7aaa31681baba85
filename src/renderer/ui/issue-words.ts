/** What the lab's check says, in words, at the field it is about. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { LabIssue } from '../../shared/lab/lab-check.ts';
import { useIssues } from '../state/index.ts';

export function useIssueWords(): (issue: LabIssue) => string {
  const { t } = useTranslation();
  return useCallback((issue) => t(`lab.issue.${issue.code}`, { ...noParams, ...issue.params }), [t]);
}

/** Every parameter that some issue has, so that the words' types are content; the issue brings its own. */
const noParams = {
  name: '',
  a: '',
  b: '',
  architecture: '',
  known: '',
  size: 0,
  valid: '',
  sync: '',
  period: 0,
  steps: 0,
  path: '',
  batchSize: 0,
  ranks: 0,
  samples: 0,
  used: 0,
};

/** Gives a field the words of its issue: by path, so `nodes[1].name`. */
export function useFieldIssue(): (path: string) => string | undefined {
  const issues = useIssues();
  const words = useIssueWords();
  return (path) => {
    const issue = issues.find((one) => one.path === path);
    return issue === undefined ? undefined : words(issue);
  };
}
