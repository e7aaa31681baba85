/** The scheduler's job of a run: why it waits in the queue, or on which nodes it runs. */
import { IconStack2 } from '@tabler/icons-react';
import { jobWords } from '../../../shared/run/job-words.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useLanguage } from '../../state/index.ts';
import { formatMoment } from '../../ui/index.ts';
import classes from './RunTrouble.module.css';

export function JobLine({ run }: { run: RunRecord }) {
  const language = useLanguage();
  if (run.job === undefined || isEnded(run.state)) return null;
  const words = jobWords(run.job, language, (seconds) => formatMoment(seconds, language, Date.now() / 1000));
  if (words === undefined) return null;
  return (
    <p className={classes.job} role="status">
      <IconStack2 size={15} aria-hidden />
      {words}
    </p>
  );
}
