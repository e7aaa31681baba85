/** A run's name. Where it does not fit, the part that it shares with its neighbours is shortened, not what distinguishes it. */
import { runNameParts } from '../../shared/run/run-name.ts';
import classes from './RunName.module.css';

/** @param title instead of the whole name, where there is more to say */
export function RunName({ name, title = name }: { name: string; title?: string }) {
  const { of, own } = runNameParts(name);
  return (
    <span className={classes.name} title={title}>
      <span className={classes.of} data-long={of.length > 4 || undefined}>
        {of}
      </span>
      {own !== '' && <span className={classes.own}>{own}</span>}
    </span>
  );
}
