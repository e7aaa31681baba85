/** Files of the script that could not be read, or numbers that were left out: each with its reason. */
import { useTranslation } from 'react-i18next';
import type { CollectProblem } from '../../../shared/run/run-outputs.ts';
import { namedPatternReason } from '../../ui/index.ts';
import { reasonKey } from './collect-reason.ts';
import classes from './RunTrouble.module.css';

/** More are only counted. */
const maxShown = 20;

export function CollectProblems({ problems }: { problems: readonly CollectProblem[] }) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  const inWords = ({ rank, file, reason: said }: CollectProblem): string => {
    const key = reasonKey(said);
    const reason = key === undefined ? (namedPatternReason(said, t) ?? said) : t(`outputs.reasons.${key}`);
    return file === ''
      ? t('outputs.problemWithoutFile', { rank, reason })
      : t('outputs.problem', { rank, file, reason });
  };
  return (
    <div className={classes.trouble} role="note">
      <details className={classes.lastWords} open={problems.length === 1}>
        <summary>{t('outputs.problems', { count: problems.length })}</summary>
        <ul className={classes.problems}>
          {problems.slice(-maxShown).map((problem) => (
            <li key={`${problem.rank} ${problem.file} ${problem.reason}`}>{inWords(problem)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}
