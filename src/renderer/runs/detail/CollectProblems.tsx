/** Files of the script that could not be read, or numbers that were left out: each with its reason. */
import { useTranslation } from 'react-i18next';
import type { CollectProblem } from '../../../shared/run/run-outputs.ts';
import classes from './RunTrouble.module.css';

/** More are only counted. */
const maxShown = 20;

export function CollectProblems({ problems }: { problems: readonly CollectProblem[] }) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  return (
    <div className={classes.trouble} role="note">
      <details className={classes.lastWords} open={problems.length === 1}>
        <summary>{t('outputs.problems', { count: problems.length })}</summary>
        <ul className={classes.problems}>
          {problems.slice(-maxShown).map(({ rank, file, reason }) => (
            <li key={`${rank} ${file} ${reason}`}>{t('outputs.problem', { rank, file, reason })}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}
