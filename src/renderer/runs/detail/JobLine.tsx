/** The scheduler's job of a run: why it waits in the queue, or on which nodes it runs and how fast they exchange. */
import { IconStack2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { jobWords } from '../../../shared/run/job-words.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useLanguage } from '../../state/index.ts';
import { formatMoment, formatNumber } from '../../ui/index.ts';
import { exchangeRate, usePulse } from '../why-slow/index.ts';
import classes from './RunTrouble.module.css';

export function JobLine({ run }: { run: RunRecord }) {
  const language = useLanguage();
  if (run.job === undefined || isEnded(run.state)) return null;
  const words = jobWords(run.job, language, (seconds) => formatMoment(seconds, language, Date.now() / 1000));
  if (words === undefined) return null;
  return (
    <p className={classes.job}>
      <IconStack2 size={15} aria-hidden />
      <span role="status">{words}</span>
      {!run.job.waits && run.ranks.length > 1 && <Exchange run={run} />}
    </p>
  );
}

/** In place of the drawn links, which nothing emulates there. */
function Exchange({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const rate = exchangeRate(usePulse(run));
  const drawn = run.lab.links.length > 0 ? t('runs.job.notEmulated') : undefined;
  const measured =
    rate === undefined
      ? undefined
      : t(rate.isUpperBound ? 'runs.job.exchangesAtMost' : 'runs.job.exchanges', {
          mbps: formatNumber(Number(rate.mbps.toPrecision(3)), language),
        });
  return <span>{[drawn, measured].filter((part) => part !== undefined).join(' ')}</span>;
}
