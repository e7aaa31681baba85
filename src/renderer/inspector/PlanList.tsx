/** A dry run of a node's preparation: what would be done, with the exact commands. */
import { useTranslation } from 'react-i18next';
import { lineIn } from '../../shared/base/phrase.ts';
import type { NodePlan } from '../../shared/node/provision.ts';
import { useLanguage } from '../state/index.ts';
import { ErrorNote } from '../ui/index.ts';
import classes from './PlanList.module.css';

export function PlanList({ plan }: { plan: NodePlan }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const open = plan.steps.filter(({ state }) => state !== 'done');
  if (open.length === 0) return <p className={classes.note}>{t('inspector.readiness.nothingToDo')}</p>;
  return (
    <ol className={classes.list} aria-label={t('inspector.readiness.plan')}>
      {open.map(({ id, instead, changes, error }) => (
        <li key={id} data-planned={id}>
          <p className={classes.step}>{t(`inspector.step.${instead ?? id}`)}</p>
          {changes.map(({ what, command }, index) => (
            <div key={index}>
              <p className={classes.change}>{what[language]}</p>
              {/* Described in text only, if it depends on what an earlier step finds. */}
              {command !== '' && <pre className={classes.command}>{lineIn(command, language)}</pre>}
            </div>
          ))}
          {error !== undefined && <ErrorNote error={error} />}
        </li>
      ))}
    </ol>
  );
}
