/** Of a run that went on without lost ranks: who was lost when, and how many are left. */
import { useTranslation } from 'react-i18next';
import { fewerText } from '../../../shared/run/run-notice.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useLanguage } from '../../state/index.ts';
import classes from './RunTrouble.module.css';

export function FewerRanks({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { memberships = [], ranks, state } = run;
  const last = memberships.at(-1);
  if (last === undefined) return null;
  const numbers = { left: last.ranks.length, all: ranks.length };
  return (
    <details className={`${classes.trouble} ${classes.lastWords}`}>
      <summary>{t(state === 'finished' ? 'runs.fewer.finished' : 'runs.fewer.now', numbers)}</summary>
      <ol className={classes.problems} aria-label={t('runs.fewer.list')}>
        {memberships.toReversed().map((one) => (
          <li key={one.generation}>
            {[
              new Date(one.t * 1000).toLocaleTimeString(language),
              t('runs.fewer.from', { step: one.step }),
              fewerText(one, ranks, language),
            ].join(' · ')}
          </li>
        ))}
      </ol>
    </details>
  );
}
