/** On the canvas: what is to be filled in before the drawn lab can run, each line leading to its field. */
import { Paper } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isToFillIn } from '../../shared/lab/lab-issue.ts';
import { goToIssue, listProblems, useIssues } from '../state/index.ts';
import { useIssueText } from '../ui/index.ts';
import classes from './FirstSteps.module.css';

/** So that the card covers little of a small drawing. */
const maxShown = 4;

export function FirstSteps() {
  const { t } = useTranslation();
  const issues = useIssues();
  const issueText = useIssueText();
  // An empty drawing says itself what to do.
  const steps = issues.filter(
    (issue) => issue.severity === 'error' && isToFillIn(issue) && issue.path !== 'nodes',
  );
  if (steps.length === 0) return null;
  const shown = steps.length <= maxShown ? steps : steps.slice(0, maxShown - 1);
  return (
    <Paper component="section" className={classes.steps ?? ''} aria-label={t('canvas.firstSteps.title')}>
      <strong>
        <IconListCheck size={15} aria-hidden /> {t('canvas.firstSteps.title')}
      </strong>
      <ol>
        {shown.map((issue) => (
          <li key={`${issue.code} ${issue.path}`}>
            <button type="button" onClick={() => goToIssue(issue)}>
              {issueText(issue)}
            </button>
          </li>
        ))}
      </ol>
      {shown.length < steps.length && (
        <button type="button" className={classes.more} onClick={() => listProblems(true)}>
          {t('canvas.firstSteps.more', { count: steps.length - shown.length })}
        </button>
      )}
    </Paper>
  );
}
