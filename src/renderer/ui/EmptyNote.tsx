/** What a panel or a table shows in place of content while it has none: why, or that it is being loaded. */
import type { HTMLAttributes } from 'react';
import classes from './EmptyNote.module.css';

export function EmptyNote(props: HTMLAttributes<HTMLParagraphElement>) {
  return <p {...props} className={classes.note} />;
}
