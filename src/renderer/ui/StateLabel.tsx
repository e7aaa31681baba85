/** The state of a run, a rank or a node: its icon and its name, in its colour. */
import type { HTMLAttributes } from 'react';
import { StateIcon, type Look } from '../theme/index.ts';
import classes from './StateLabel.module.css';

interface StateLabelProps extends HTMLAttributes<HTMLSpanElement> {
  readonly look: Look;
  /** Of the icon, in pixels. */
  readonly size: number;
}

export function StateLabel({ look, size, children, ...rest }: StateLabelProps) {
  return (
    <span {...rest} className={classes.state} style={{ color: look.colour }}>
      <StateIcon look={look} size={size} />
      {children}
    </span>
  );
}
